import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { constant, createPolicy, type EbbEvent, type PolicyOptions, retry } from '../index.ts';
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
