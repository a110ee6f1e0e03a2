import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../simulate.ts';

describe('client buckets', () => {
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
});
