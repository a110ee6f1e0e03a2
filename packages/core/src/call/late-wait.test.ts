import { expect, test } from 'vitest';
import { limitOf, REQUEST } from '../../test/call-with-limits.ts';
import { constant } from '../backoff/curves.ts';
import { nextTurn } from '../base/clock.ts';
import type { Permit } from '../policy/limit.ts';
import { createPolicy } from '../policy/policy.ts';
import { retry } from '../retry/retry.ts';
import { Call } from './call.ts';
import { run } from './run.ts';
import type { Transport } from './transport.ts';

test('what a wait has taken goes back if it ends after the abort', async () => {
  const gate = Promise.withResolvers<void>();
  const abort = new AbortController();
  const told: string[] = [];
  const acquire = async (): Promise<Permit> => {
    await gate.promise;
    told.push('take');
    return { cancel: () => void told.push('cancel'), lapse: () => void told.push('lapse') };
  };
  const limits = [limitOf({ take: () => ({ acquire }) })];
  const result = retry(() => 'up', { limits }, { signal: abort.signal });
  await nextTurn();
  abort.abort(new Error('enough'));
  await expect(result).rejects.toThrow('enough');
  gate.resolve();
  await gate.promise;
  expect(told).toEqual(['take']);
  await nextTurn();
  expect(told).toEqual(['take', 'cancel', 'lapse']);
});

test.each(['abort', 'stop'])(
  'after a response was discarded the loop looks for an %s before it asks hooks',
  async (how) => {
    const gate = Promise.withResolvers<void>();
    const [caller, stop] = [new AbortController(), new AbortController()];
    let asked = 0;
    const client: Transport<number> = {
      send: async () => 503,
      outcome: (status) => ({ type: 'response', status, header: () => undefined }),
      failure: (error) => ({ type: 'failure', kind: 'network', error }),
      setAside: () => ({ released: gate.promise }),
    };
    const policy = createPolicy({
      backoff: constant(0),
      stopSignal: stop.signal,
      beforeAttempt() {
        asked += 1;
        return undefined;
      },
    });
    const result = run(new Call(policy, REQUEST), client, caller.signal).catch(
      (error: Error) => error.message,
    );
    await nextTurn();
    await nextTurn();
    (how === 'abort' ? caller : stop).abort(new Error('enough'));
    gate.resolve();
    expect(await result).toBe(how === 'abort' ? 'enough' : 503);
    expect(asked).toBe(1);
  },
);
