import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import {
  constant,
  createPolicy,
  type EbbEvent,
  type PolicyOptions,
  retry,
  retryBudget,
  tokenBucket,
} from '../index.ts';
import { virtualClock } from '../testing.ts';

const failing = async (): Promise<never> => Promise.reject(new Error('down'));

/** Calls a function that fails under a stop signal, and a signal of its own. */
function call(options: PolicyOptions = {}, clock = virtualClock({ startMs: 0 })) {
  const [stop, own] = [new AbortController(), new AbortController()];
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => void events.push(event);
  const policy = createPolicy({
    clock,
    backoff: constant(1_000),
    stopSignal: stop.signal,
    onEvent,
    ...options,
  });
  const result = retry(failing, policy, { signal: own.signal }).catch((error: unknown) => error);
  const listeners = () => [stop, own].map(({ signal }) => getEventListeners(signal, 'abort').length);
  return { clock, stop, own, events, result, listeners };
}

test('a call that waits for a retry ends with what it has, and the budget is refunded', async () => {
  const clock = virtualClock({ startMs: 0 });
  const budget = retryBudget({ reserve: 1, clock });
  const { stop, events, result, listeners } = call({ budget }, clock);
  await clock.advance(500);
  expect(budget.balance).toBe(0);
  stop.abort('shutdown');
  expect(await result).toMatchObject({ message: 'down' });
  expect(events.at(-1)).toMatchObject({
    type: 'end',
    reason: 'stopped',
    attempt: 1,
    error: { name: 'NotSentError', reason: 'stopped' },
  });
  expect([clock.pending, budget.balance, listeners()]).toEqual([0, 1, [0, 0]]);
});

test('a call that waits for its first tokens fails with a NotSentError', async () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1, initialTokens: 0, clock });
  const { stop, result, listeners } = call({ bucket }, clock);
  stop.abort();
  expect(await result).toMatchObject({ name: 'NotSentError', reason: 'stopped' });
  expect([bucket.stats().waiting, listeners()]).toEqual([0, [0, 0]]);
});

test('the abort of the call itself is still its own', async () => {
  const { clock, own, events, result, listeners } = call();
  await clock.advance(500);
  own.abort('enough');
  expect(await result).toBe('enough');
  expect(events.at(-1)).toMatchObject({ reason: 'aborted' });
  expect([clock.pending, listeners()]).toEqual([0, [0, 0]]);
});

test('an abort of both with one reason is that of the call', async () => {
  const { clock, own, stop, result } = call();
  await clock.advance(500);
  own.abort('enough');
  stop.abort('enough');
  expect(await result).toBe('enough');
});

test('nothing is left in a signal that outlives many calls', async () => {
  const { clock, result, listeners } = call({ maxRetries: 20 });
  await clock.advance(20_000);
  expect(await result).toMatchObject({ message: 'down' });
  expect(listeners()).toEqual([0, 0]);
});

test('an attempt in flight goes on, and may succeed', async () => {
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<string>();
  const result = retry(() => promise, createPolicy({ stopSignal: stop.signal }));
  stop.abort();
  resolve('done');
  expect(await result).toBe('done');
});
