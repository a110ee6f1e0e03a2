import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../test/call-with-limits.ts';
import { HookError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { retryBudget } from '../limits/budget/budget.ts';
import { concurrencyLimit } from '../limits/concurrency/concurrency.ts';
import { perKey } from '../limits/per-key/per-key.ts';
import { virtualClock } from '../testing.ts';
import type { PolicyOptions } from './options.ts';
import { createPolicy, overridePolicy } from './policy.ts';

const limits: readonly [name: string, make: (clock?: Clock) => PolicyOptions][] = [
  ['tokenBucket', (clock) => ({ bucket: tokenBucket({ refillPerSecond: 1, capacity: 1, clock }) })],
  [
    'buckets per key',
    (clock) => ({
      bucket: perKey(() => tokenBucket({ refillPerSecond: 1, capacity: 1, clock }), { clock }),
    }),
  ],
  ['concurrencyLimit', (clock) => ({ concurrency: concurrencyLimit({ maxConcurrent: 1, clock }) })],
  [
    'limits per key',
    (clock) => ({ concurrency: perKey(() => concurrencyLimit({ maxConcurrent: 1, clock }), { clock }) }),
  ],
  ['retryBudget', (clock) => ({ budget: retryBudget({ clock }) })],
  ['budgets per key', (clock) => ({ budget: perKey(() => retryBudget({ clock }), { clock }) })],
];

describe.each(limits)('%s', (_, make) => {
  test('has the clock of its policy', () => {
    const clock = virtualClock();
    const policy = createPolicy({ ...make(clock), clock });
    overridePolicy(policy, { maxRetries: 1 });
    createPolicy(make());
  });

  test('with another clock than its policy is an error that says what to do', () => {
    const clock = virtualClock();
    const message =
      /The clock of [\w ]+ differs from that of its policy, or of its perKey: pass one `clock` to both/;
    expect(() => createPolicy({ ...make(), clock })).toThrow(TypeError);
    expect(() => createPolicy({ ...make(), clock })).toThrow(message);
    expect(() => createPolicy(make(clock))).toThrow(message);
    expect(() => createPolicy({ ...make(clock), clock: virtualClock() })).toThrow(message);
    expect(() => overridePolicy(createPolicy({ ...make(clock), clock }), { clock: virtualClock() })).toThrow(
      message,
    );
  });
});

test('a limit with another clock than its perKey is an error that says what to do', () => {
  const per = perKey(() => tokenBucket({ refillPerSecond: 1 }), { clock: virtualClock() });
  expect(() => per.for(REQUEST)).toThrow(HookError);
  expect(() => per.for(REQUEST)).toThrow('The clock of a bucket differs from that');
});
