import { expect, test } from 'vitest';
import { constant } from '../backoff/curves.ts';
import type { Limit, Permit } from '../call/types.ts';
import type { Part } from '../loop/part.ts';
import { retry } from '../retry/retry.ts';
import { limitPart } from './limit-part.ts';

/** A limit that says what it is asked, and its permits, which are numbered. */
function writing(own: (permit: (isPartial?: boolean) => Permit, told: string[]) => Partial<Limit>) {
  const told: string[] = [];
  let count = 0;
  const permit = (isPartial = false): Permit => {
    count += 1;
    const id = count;
    return {
      waitedMs: 0,
      isPartial,
      cancel: () => void told.push(`cancel ${id}`),
      lapse: () => void told.push(`lapse ${id}`),
      settle: (outcome) => void told.push(`settle ${id} ${outcome.type}`),
      release: () => void told.push(`release ${id}`),
      ended: (reason) => void told.push(`ended ${id} ${reason}`),
    };
  };
  const limit: Limit = {
    name: 'own',
    started: () => void told.push('started'),
    ended: (_, reason) => void told.push(`ended ${reason}`),
    ...own(permit, told),
  };
  return { told, part: limitPart(limit, 'slot', { isForInner: true }) };
}

const takes: Parameters<typeof writing>[0] = (permit) => ({ take: () => permit() });

/** Fails so many times. */
function failing(times: number) {
  let left = times;
  return async (): Promise<string> => {
    left -= 1;
    if (left >= 0) throw new Error('down');
    return 'up';
  };
}

/** Lacks something for so many times. */
function lacking(times: number): Part {
  let left = times;
  const acquire = () => {
    left -= 1;
    return left < 0 ? undefined : { wait: async () => 0 };
  };
  return { name: 'other', place: 'tokens', begin: () => ({ acquire }) };
}

test.each<
  [story: string, own: Parameters<typeof writing>[0], failures: number, others: Part[], told: string]
>([
  ['a success', takes, 0, [], 'started, settle 1 response, ended 1 success, ended success'],
  [
    'a retry takes a permit of its own',
    takes,
    1,
    [],
    'started, settle 1 failure, release 1, settle 2 response, ended 2 success, ended success',
  ],
  [
    'a permit goes back while another limit is waited for',
    takes,
    0,
    [lacking(1)],
    'started, cancel 1, settle 2 response, ended 2 success, ended success',
  ],
  [
    'a permit that was cancelled is the earlier one, and lapses with its attempt if it is not used',
    (permit, told) => ({
      take(_, earlier) {
        told.push(`take${earlier ? ' again' : ''}`);
        return earlier ? undefined : permit();
      },
    }),
    0,
    [lacking(1)],
    'started, take, cancel 1, take again, lapse 1, ended success',
  ],
  [
    'a wait gives the permit',
    (permit) => ({ take: () => ({ acquire: async () => permit() }) }),
    0,
    [],
    'started, settle 1 response, ended 1 success, ended success',
  ],
  [
    'one that is partial is completed',
    (permit, told) => ({
      take(_, earlier) {
        told.push(`take${earlier ? ' again' : ''}`);
        return earlier ? permit() : { acquire: async () => permit(true) };
      },
    }),
    0,
    [],
    'started, take, take again, settle 2 response, ended 2 success, ended success',
  ],
  [
    'a retry that is refused',
    (permit) => ({ ...takes(permit, []), planRetry: () => 'budget-exhausted' }),
    1,
    [],
    'started, settle 1 failure, release 1, ended budget-exhausted',
  ],
  [
    'what a retry was given is spent once that is sent',
    (permit) => ({ planRetry: () => permit() }),
    1,
    [],
    'started, ended success',
  ],
  [
    'a last skip ends the call',
    () => ({ take: () => ({ skip: true, isLast: true }) }),
    0,
    [],
    'started, ended overload',
  ],
  ['a limit that takes nothing', () => ({}), 1, [], 'started, ended success'],
])('%s', async (_, own, failures, others, expected) => {
  const { told, part } = writing(own);
  await retry(failing(failures), { use: [part, ...others], backoff: constant(0), classify }).catch(String);
  expect(told.join(', ')).toBe(expected);
});

test('a skip goes on to the next scheduled attempt', async () => {
  let skips = 2;
  const { told, part } = writing((permit) => ({
    take: () => (skips-- > 0 ? { skip: true } : permit()),
  }));
  await retry(failing(0), { use: [part], backoff: constant(0) });
  expect(told.join(', ')).toBe('started, settle 1 response, ended 1 success, ended success');
});

test('a call that ends once its attempt is settled releases the permit, once', () => {
  const { told, part } = writing(takes);
  const instance = part.begin({ layers: {}, policy: {} } as never);
  instance?.acquire?.();
  instance?.leave?.({ type: 'failure', kind: 'network', error: undefined });
  instance?.leave?.({ type: 'failure', kind: 'aborted', error: undefined });
  instance?.leave?.(undefined);
  instance?.free?.();
  instance?.end?.('aborted');
  expect(told.join(', ')).toBe('started, settle 1 failure, release 1, ended aborted');
});

test('what a retry was given goes back if it is not sent', async () => {
  const abort = new AbortController();
  const { told, part } = writing((permit) => ({
    planRetry() {
      abort.abort(new Error('enough'));
      return permit();
    },
  }));
  const call = retry(failing(1), { use: [part], backoff: constant(0), classify }, { signal: abort.signal });
  await expect(call).rejects.toThrow('enough');
  expect(told.join(', ')).toBe('started, cancel 1, ended aborted');
});

function classify(outcome: { readonly type: string }) {
  return outcome.type === 'response' ? 'success' : 'transient';
}
