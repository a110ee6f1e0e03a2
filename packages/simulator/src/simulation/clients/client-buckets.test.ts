import { describe, expect, test } from 'vitest';
import { sum } from '../../../test/fleets.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../simulate.ts';

describe('client buckets', () => {
  const rate = { refillPerSecond: 2, capacity: 3 };
  const fleet: Scenario = {
    durationMs: 100_000,
    clients: { count: 10, requestsPerSecond: 40 },
    server: { workers: 1_000, serviceMs: 1 },
  };

  test.each([
    ['that ignore feedback', { ...rate, feedback: false }],
    ['of core itself', rate],
  ] as const)('%s let capacity + rate · time go, in any window', (_, options) => {
    const { series, totals, tokenWaitMs } = simulate({
      ...fleet,
      policy: { bucket: { tokenBucket: options } },
    });
    expect(totals.sends).toBeLessThanOrEqual(10 * (3 + 2 * 100));
    expect(totals.sends).toBeGreaterThan(10 * 2 * 100 * 0.98);
    for (let from = 0; from < 90; from += 1) {
      expect(sum(series.sends, from, from + 10)).toBeLessThanOrEqual(10 * (3 + 2 * 10));
    }
    // Twice as many requests arrive as the buckets allow, so the waits grow.
    expect(tokenWaitMs.max).toBeGreaterThan(40_000);
  });

  test('give the same results as numbers and as buckets of core', () => {
    const light = { ...fleet, clients: { count: 10, requestsPerSecond: 19 } };
    const [numbers, objects] = ([false, undefined] as const).map((feedback) =>
      simulate({ ...light, policy: { bucket: { tokenBucket: { ...rate, feedback } } } }),
    );
    expect(numbers?.totals).toEqual(objects?.totals);
    expect(numbers?.tokenWaitMs.mean).toBeCloseTo(objects?.tokenWaitMs.mean ?? 0, 6);
  });

  test('with nonConforming reject refuse requests instead of delaying them', () => {
    const { totals } = simulate({
      ...fleet,
      policy: { bucket: { tokenBucket: { ...rate, nonConforming: 'reject' } } },
    });
    expect(totals.notSent).toBe(totals.requests - totals.sends);
    expect(totals.notSent / totals.requests).toBeGreaterThan(0.45);
  });

  test('with nonConforming mark send all requests', () => {
    const { totals } = simulate({
      ...fleet,
      policy: { bucket: { tokenBucket: { ...rate, nonConforming: 'mark' } } },
    });
    expect(totals.sends).toBe(totals.requests);
  });

  test('bound the wait by maxWaitMs, of the bucket or the policy, and the line by maxQueue', () => {
    for (const policy of [
      { bucket: { tokenBucket: { ...rate, maxWaitMs: 1_000 } } },
      { maxWaitMs: 1_000, bucket: { tokenBucket: rate } },
    ] satisfies FleetPolicy[]) {
      const { tokenWaitMs, totals } = simulate({ ...fleet, policy });
      expect(tokenWaitMs.max).toBeLessThanOrEqual(1_000.1);
      expect(totals.notSent).toBeGreaterThan(1_000);
    }
    const { series } = simulate({ ...fleet, policy: { bucket: { tokenBucket: { ...rate, maxQueue: 2 } } } });
    expect(Math.max(...series.underWay)).toBeLessThanOrEqual(10 * 3);
  });

  test('send retries before new requests', () => {
    const errors = [{ type: 'errors', fromMs: 0, untilMs: 100_000, share: 0.3 }] as const;
    const { series, latencyMs } = simulate({
      ...fleet,
      server: { workers: 1_000, serviceMs: 1, troubles: errors },
      policy: { maxRetries: 5, backoff: { constant: 1 }, bucket: { tokenBucket: rate } },
    });
    // Thousands of requests wait in the end. Retries behind them would not be sent before the run ends.
    expect(sum(series.failures)).toBeLessThan(20);
    expect(latencyMs.count).toBeGreaterThan(1_200);
  });

  test('adapt to a quota that is lower than their rate', () => {
    const quota: Scenario = {
      durationMs: 100_000,
      clients: { count: 20, requestsPerSecond: 90 },
      server: {
        workers: 1_000,
        serviceMs: 1,
        limit: { refillPerSecond: 100, capacity: 20, retryAfter: false },
      },
      policy: { maxRetries: 10, backoff: { constant: 50 } },
    };
    const burst = { ...quota, clients: { count: 20, requestsPerSecond: 150 } };
    const bucket = { refillPerSecond: 20, capacity: 4 };
    const plain = simulate({ ...burst, policy: { ...burst.policy, bucket: { tokenBucket: bucket } } });
    const adapted = simulate({ ...burst, policy: { ...burst.policy, bucket: { adaptive: bucket } } });
    expect(adapted.totals.answered429).toBeLessThan(plain.totals.answered429 / 2);
    expect(adapted.totals.successes).toBeGreaterThan(0.75 * 100 * 100);
  });

  test('pause for as long as Retry-After says', () => {
    const paused = simulate({
      durationMs: 30_000,
      clients: { count: 1, requestsPerSecond: 50 },
      server: { workers: 100, serviceMs: 1, limit: { refillPerSecond: 1, capacity: 1 } },
      policy: { maxRetries: 0, bucket: { tokenBucket: { refillPerSecond: 100 } } },
    });
    // One token per second: each refusal pauses the bucket for a little more than a second.
    expect(paused.totals.sends).toBeLessThan(30 * 4);
    expect(paused.totals.requests).toBeGreaterThan(1_000);
  });
});
