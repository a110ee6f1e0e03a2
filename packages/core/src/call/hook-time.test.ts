import { expect, test } from 'vitest';
import { limitOf, REQUEST } from '../../test/call-with-limits.ts';
import { prepare } from '../../test/steps.ts';
import { constant } from '../backoff/curves.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { virtualClock } from '../testing.ts';
import { Call } from './call.ts';
import { OutOfTime } from './deadline.ts';

/** A call whose hook takes so long before each attempt. */
function callWith(hookMs: number, options: PolicyOptions = {}) {
  const clock = virtualClock();
  const beforeAttempt = () => clock.sleep(hookMs).then(() => undefined);
  const policy = createPolicy({
    clock,
    beforeAttempt,
    attemptTimeoutMs: 100,
    backoff: constant(10),
    ...options,
  });
  const call = new Call(policy, REQUEST);
  const makeBody = (bodyMs: number) => () => clock.sleep(bodyMs);
  const ready = (bodyMs?: number) =>
    clock.runUntilSettled(
      prepare(call, undefined, undefined, bodyMs === undefined ? undefined : makeBody(bodyMs)) ??
        Promise.resolve(true),
    );
  return { call, clock, ready };
}

test('headers that come after the timeout of their attempt are for no other', async () => {
  const clock = virtualClock();
  const beforeAttempt = async ({ attempt }: { attempt: number }) => {
    await clock.sleep(attempt === 1 ? 150 : 0);
    return { 'x-attempt': String(attempt) };
  };
  const acquire = () => clock.sleep(200).then(() => ({ cancel: () => undefined }));
  let asked = 0;
  const limit = limitOf({ take: () => (asked++ === 0 ? { acquire } : undefined) });
  const { call, ready } = callWith(0, { clock, beforeAttempt, limits: [limit] });
  expect(await clock.runUntilSettled(ready())).toMatchObject({ timeoutMs: 100 });
  expect(await clock.runUntilSettled(ready())).toBe(true);
  expect([call.attempt, call.headerChanges]).toEqual([2, { 'x-attempt': '2' }]);
});

test('the time of a scheduled attempt that was skipped does not count for the next', async () => {
  let skips = 2;
  const skipping = limitOf({ take: () => (skips-- > 0 ? { skip: true, delayMs: 10 } : undefined) });
  const { call, ready } = callWith(60, { limits: [skipping] });
  expect([await ready(), call.attempt, call.hookMs]).toEqual([true, 1, 60]);
  expect(call.history.map(({ reason }) => reason)).toEqual(['skipped', 'skipped']);
});

test.each([
  [39, true, 99],
  [40, false, 100],
  [600_000, false, 100],
])('hook and body factory share it: 60 ms and %s', async (bodyMs, isReady, elapsedMs) => {
  const { call, clock, ready } = callWith(60);
  const readiness = await ready(bodyMs);
  if (isReady) expect(readiness).toBe(true);
  else expect(readiness).toMatchObject({ timeoutMs: 100 });
  // Without being sent it is judged as an attempt that ran into its timeout.
  expect(call.history.map(({ reason }) => reason)).toEqual(isReady ? [] : ['transient']);
  expect(clock.elapsedMs).toBe(elapsedMs);
});

test.each<[options: PolicyOptions, timeoutMs: number, isTotal: boolean]>([
  [{}, 100, false],
  [{ totalTimeoutMs: 120 }, 100, false],
  [{ totalTimeoutMs: 100 }, 100, true],
  [{ totalTimeoutMs: 80 }, 80, true],
])('a hook that hangs ends with the timeout that comes first: %j', async (options, timeoutMs, isTotal) => {
  const { call, clock, ready } = callWith(600_000, options);
  const error = await ready().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OutOfTime);
  expect(error).toMatchObject({ timeoutMs });
  // The total timeout ends the call, that of the attempt is judged.
  expect([call.hasEnded, call.history.length]).toEqual(isTotal ? [true, 0] : [false, 1]);
  expect(clock.elapsedMs).toBe(timeoutMs);
});
