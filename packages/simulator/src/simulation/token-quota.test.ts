import { tokenBucket } from '@ebb/core';
import { expect, test } from 'vitest';
import { SimulationClock } from '../engine/events.ts';
import { type QuotaOptions, TokenQuota } from './token-quota.ts';

/** One request after another, each as soon as it has its token. */
const REQUESTS = 200_000;

function inCore(options: QuotaOptions): Float64Array {
  const clock = new SimulationClock();
  const bucket = tokenBucket({ ...options, clock });
  return new Float64Array(REQUESTS).map(() => {
    while (bucket.tryAcquire() === undefined) clock.nowMs += Math.max(1e-3, bucket.waitMs());
    return clock.nowMs;
  });
}

function inSimulator(options: QuotaOptions): Float64Array {
  const quota = new TokenQuota(options);
  let state = quota.holding(options.capacity, 0);
  let nowMs = 0;
  return new Float64Array(REQUESTS).map(() => {
    for (;;) {
      const after = quota.take(state, 1, nowMs);
      if (after !== undefined) {
        state = after;
        return nowMs;
      }
      nowMs += Math.max(1e-3, quota.waitMs(state, 1, nowMs));
    }
  });
}

test.each([
  { capacity: 5, refillPerSecond: 3, refillIntervalMs: 200 },
  { capacity: 5, refillPerSecond: 7, refillIntervalMs: 200 },
  { capacity: 100, refillPerSecond: 333, refillIntervalMs: 0.7 },
  { capacity: 5, refillPerSecond: 3 },
  { capacity: 50, refillPerSecond: 1_000 / 7 },
])('%j: 200,000 grants in a row come at the same times as in core', (options) => {
  const expected = inCore(options);
  const late = inSimulator(options).findIndex((atMs, at) => Math.abs(atMs - (expected[at] as number)) > 1e-6);
  expect(late).toBe(-1);
});
