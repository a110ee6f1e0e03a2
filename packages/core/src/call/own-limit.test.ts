import { expect, test, vi } from 'vitest';
import { callTo, limitOf, outerOf, REQUEST } from '../../test/call-with-limits.ts';
import { throwing } from '../../test/throwing.ts';
import { constant } from '../backoff/curves.ts';
import type { Limit } from '../policy/limit.ts';
import { retry } from '../retry/retry.ts';
import { virtualClock } from '../testing.ts';

/** Two attempts, the first of which fails. */
function call(own: Partial<Limit>, clock = virtualClock()): Promise<unknown> {
  let fails = true;
  const twice = async (): Promise<string> => {
    if (!fails) return 'up';
    fails = false;
    throw new Error('down');
  };
  const limits = [limitOf(own)];
  const policy = { limits, backoff: constant(10), clock, classify: classify as never };
  return clock.runUntilSettled(retry(twice, policy)).catch((error: Error) => error);
}

const classify = ({ type }: { type: string }): string => (type === 'response' ? 'success' : 'transient');

test.each<[story: string, permit: object]>([
  ['cannot be cancelled', { cancel: throwing(new Error('lost')) }],
  ['cannot be cancelled at once', { cancel: () => Promise.reject(new Error('lost')) }],
  ['is none', {}],
])('a permit that comes too late and %s is reported', async (_, permit) => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const clock = virtualClock();
  const acquire = () => new Promise<never>((resolve) => clock.schedule(() => resolve(permit as never), 20));
  const policy = { limits: [limitOf({ take: () => ({ acquire }) })], maxWaitMs: 10, clock };
  await expect(clock.runUntilSettled(retry(async () => 'up', policy))).rejects.toThrow(
    'did not come in time',
  );
  await clock.advance(20);
  await new Promise(setImmediate);
  const message = expect.stringMatching(/^limits failed, and is ignored: /);
  expect(warn.mock.calls).toMatchObject([[{ message }]]);
  warn.mockRestore();
});

test.each<[story: string, own: object, message: string]>([
  [
    'take returns a promise',
    { take: () => Promise.reject(new Error('lost')) },
    'the result of take must be a permit, a wait',
  ],
  ['take returns true', { take: () => true }, 'the result of take must be a permit, a wait'],
  [
    'a wait brings nothing',
    { take: () => ({ acquire: async () => undefined }) },
    'the result of acquire must be',
  ],
  [
    'planRetry returns false',
    { planRetry: () => false },
    'the result of planRetry must be a permit, a reason',
  ],
])('%s: a HookError', async (_, own, message) => {
  expect(await call(own as never)).toMatchObject({
    name: 'HookError',
    hook: 'limits',
    cause: { name: 'TypeError', message: expect.stringContaining(message) },
  });
});

test.each([true, false])('is asked by nested clients if it is for them: isForInner %s', (isForInner) => {
  const started = vi.fn();
  const { call } = callTo({}, [limitOf({ isForInner, started })], outerOf(REQUEST));
  expect(call.isInner).toBe(true);
  call.next();
  expect(started).toHaveBeenCalledTimes(isForInner ? 1 : 0);
});
