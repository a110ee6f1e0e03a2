import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../test/call-with-limits.ts';
import { constant } from '../backoff/curves.ts';
import { HookError } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { retryBudget } from '../limits/budget/budget.ts';
import { concurrencyLimit } from '../limits/concurrency/concurrency.ts';
import { perKey } from '../limits/per-key/per-key.ts';
import { retry } from '../retry/retry.ts';
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

describe('a clock that fails', () => {
  const broken: readonly [name: string, clock: object, message: string][] = [
    ['now throws', { now: fail, schedule: () => () => undefined }, 'clock failed: it broke'],
    ['schedule throws', { now: () => 0, schedule: fail }, 'clock failed: it broke'],
  ];
  function fail(): never {
    throw new Error('it broke');
  }
  const never: readonly [name: string, options: (clock: Clock) => PolicyOptions][] = [
    ['a retry', () => ({ backoff: constant(10) })],
    ['a total timeout', () => ({ totalTimeoutMs: 10_000, backoff: constant(10) })],
    [
      'tokens',
      (clock) => ({
        bucket: tokenBucket({ refillPerSecond: 1, capacity: 1, initialTokens: 0, clock }),
        maxRetries: 0,
      }),
    ],
  ];

  test.each(broken.flatMap((clock) => never.map((options) => [...clock, ...options] as const)))(
    '%s: the error names it (%s, %s, %s)',
    async (_name, clock, message, _what, options) => {
      const call = async () =>
        retry(
          async () => {
            throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
          },
          createPolicy({ ...options(clock as Clock), clock: clock as Clock }),
        );
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(HookError);
      expect((error as HookError).hook).toBe('clock');
      expect((error as HookError).message).toContain(message);
    },
  );
});
