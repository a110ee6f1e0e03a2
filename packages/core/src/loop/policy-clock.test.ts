import { describe, expect, test } from 'vitest';
import { constant } from '../backoff/curves.ts';
import type { Clock } from '../base/clock.ts';
import { HookError } from '../base/errors.ts';
import { tokenBucket } from '../parts/bucket/token-bucket.ts';
import { retryBudget } from '../parts/budget/budget.ts';
import { concurrencyLimit } from '../parts/concurrency/concurrency.ts';
import { perKey } from '../parts/per-key/per-key.ts';
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
  test('takes the clock of its policy, and that of no other', () => {
    const clock = virtualClock();
    const limit = make();
    const policy = createPolicy({ ...limit, clock });
    createPolicy({ ...limit, clock });
    overridePolicy(policy, { maxRetries: 1 });
    expect(() => createPolicy(limit)).toThrow(TypeError);
    expect(() => createPolicy({ ...limit, clock: virtualClock() })).toThrow('policies with different clocks');
    expect(() => overridePolicy(policy, { clock: virtualClock() })).toThrow('policies with different clocks');
  });

  test('of the system stays there', () => {
    const limit = make();
    createPolicy(limit);
    createPolicy(limit);
    expect(() => createPolicy({ ...limit, clock: virtualClock() })).toThrow('policies with different clocks');
  });

  test('keeps a clock that it was given', () => {
    const limit = make(virtualClock());
    createPolicy(limit);
    createPolicy({ ...limit, clock: virtualClock() });
  });
});

describe('on the clock of the policy', () => {
  test.each(limits.slice(0, 2))('%s fills', async (_, make) => {
    const clock = virtualClock();
    const policy = createPolicy({ ...make(), clock, maxRetries: 0 });
    const calls = [1, 2, 3].map(() => retry(async () => 'done', policy));
    await clock.runUntilSettled(Promise.all(calls));
    expect(clock.elapsedMs).toBe(2_000);
  });

  test('the pause of an origin ends', async () => {
    const clock = virtualClock();
    const bucket = tokenBucket({ refillPerSecond: 1_000, random: () => 0 });
    createPolicy({ bucket, clock });
    const request = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
    const grant = await bucket.acquire();
    const header = (name: string) => (name === 'retry-after' ? '5' : undefined);
    bucket.observe?.({ type: 'response', status: 429, header }, grant, request);
    await clock.runUntilSettled(bucket.gateFor?.(request)?.acquire() ?? Promise.reject());
    expect(clock.elapsedMs).toBeCloseTo(5_001, 0);
  });

  test('a bucket that was used before goes on from where it was', async () => {
    const clock = virtualClock();
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1 });
    bucket.tryAcquire();
    createPolicy({ bucket, clock });
    await clock.runUntilSettled(bucket.acquire());
    expect(clock.elapsedMs).toBeGreaterThan(990);
    expect(clock.elapsedMs).toBeLessThanOrEqual(1_000);
  });
});

describe('a clock that fails', () => {
  const broken: readonly [name: string, clock: object, message: string][] = [
    ['now throws', { now: fail, schedule: () => () => undefined }, 'clock failed: it broke'],
    [
      'now returns NaN',
      { now: () => Number.NaN, schedule: () => () => undefined },
      'clock failed: now() must be',
    ],
    [
      'now returns Infinity',
      { now: () => Number.POSITIVE_INFINITY, schedule: () => () => undefined },
      'clock failed: now() must be',
    ],
    [
      'now returns text',
      { now: () => String(Date.now()), schedule: () => () => undefined },
      'clock failed: now() must be',
    ],
    [
      'now returns a Date',
      { now: () => new Date(), schedule: () => () => undefined },
      'clock failed: now() must be',
    ],
    ['schedule throws', { now: () => 0, schedule: fail }, 'clock failed: it broke'],
    [
      'schedule returns nothing',
      { now: () => 0, schedule: () => undefined },
      'clock failed: schedule() must be',
    ],
  ];
  function fail(): never {
    throw new Error('it broke');
  }
  const never: readonly [name: string, options: () => PolicyOptions][] = [
    ['a retry', () => ({ backoff: constant(10) })],
    ['a total timeout', () => ({ totalTimeoutMs: 10_000, backoff: constant(10) })],
    [
      'tokens',
      () => ({ bucket: tokenBucket({ refillPerSecond: 1, capacity: 1, initialTokens: 0 }), maxRetries: 0 }),
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
          createPolicy({ ...options(), clock: clock as Clock }),
        );
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(HookError);
      expect((error as HookError).hook).toBe('clock');
      expect((error as HookError).message).toContain(message);
    },
  );
});
