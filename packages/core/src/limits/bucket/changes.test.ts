import { describe, expect, test } from 'vitest';
import { asked, responds, taken } from '../../../test/asks.ts';
import type { Outcome } from '../../http/outcome.ts';
import { serverFeedback } from '../../http/server-feedback.ts';
import type { TokenBucketOptions } from './options.ts';
import { tokenBucket } from './token-bucket.ts';

/** A bucket of ten a second and five at once by default, and when each request is granted, or why it is refused. */
function setUp(options: Partial<TokenBucketOptions> = {}) {
  const base = { refillPerSecond: 10, capacity: 5, random: () => 0, feedback: serverFeedback };
  return asked((clock) => tokenBucket({ ...base, clock, ...options }));
}

describe('a pause', () => {
  test('grants nothing, and ends with an empty bucket', async () => {
    const { bucket, clock, lines, ask } = setUp();
    bucket.pauseFor(1_000);
    expect([bucket.tryAcquire(), bucket.tryAcquire(1e-12)]).toEqual([undefined, undefined]);
    expect(bucket.stats()).toMatchObject({ pausedMs: 1_000, tokens: 0, idle: false });
    for (const name of ['a', 'b', 'c']) ask(name);
    await clock.advance(5_000);
    expect(lines).toEqual(['a 1100', 'b 1200', 'c 1300']);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5'])('of %s is an error', (ms) => {
    const pause = (): void => setUp().bucket.pauseFor(ms as number);
    expect(pause).toThrow('pauseFor: durationMs must be a finite number ≥ 0');
  });
});

describe('a new rate', () => {
  test.each<[rate: number, capacity: number | undefined, message: string]>([
    [1, 2e9, 'capacity must be a number from 1e-9 to 1e9'],
    [1e-12, undefined, 'refillPerSecond must be a number from 1e-9 to 1e9'],
  ])('of %d with the capacity %s is an error, and changes nothing', (rate, capacity, message) => {
    const { bucket } = setUp();
    expect(() => bucket.setRate(rate, capacity)).toThrow(`setRate: ${message}`);
    expect(bucket.stats()).toMatchObject({ refillPerSecond: 10, capacity: 5 });
  });
});

describe('settle', () => {
  test('returns surplus tokens, and grants them to the next request', async () => {
    const { bucket, clock, lines, ask } = setUp();
    const grant = taken(bucket.tryAcquire(5));
    ask('next', { cost: 3 });
    grant.settle(2);
    await clock.advance(0);
    expect(lines).toEqual(['next 0']);
    expect(bucket.stats().tokens).toBe(0);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, undefined])(
    'of %s is an error, and may be told again',
    (cost) => {
      const { bucket } = setUp();
      const grant = taken(bucket.tryAcquire(5));
      expect(() => grant.settle(cost as number)).toThrow('settle: actualCost must be a finite number ≥ 0');
      grant.settle(0);
      expect(bucket.stats().tokens).toBe(5);
    },
  );
});

describe('feedback of the server', () => {
  const pausing = (pauseMs: number) => () => ({ pauseMs, remaining: undefined, tooFast: true });

  test.each<[story: string, options: Partial<TokenBucketOptions>, outcome: Outcome, pausedMs: number]>([
    ['nothing left closes it on a success, too', {}, responds(200, { ratelimit: '"x";r=0;t=7' }), 7_000],
    ['a pause is capped', {}, responds(429, { 'retry-after': '1000000000' }), 600_000],
    ['at what one likes', { maxPauseMs: 500 }, responds(503, { 'retry-after': '3' }), 500],
    ['it ends a little later by chance', { random: () => 0.5 }, responds(429, { 'retry-after': '2' }), 2_200],
    ['by a second at most', { random: () => 0.5 }, responds(429, { 'retry-after': '500' }), 500_500],
    ['a success closes nothing', {}, responds(200), 0],
    ['nor does a failure', {}, { type: 'failure', kind: 'network', error: new Error() }, 0],
    ['a custom feedback replaces the default', { feedback: pausing(42) }, responds(200), 42],
    ['which may read no number', { feedback: pausing(Number.NaN) }, responds(200), 0],
  ])('%s', (_, options, outcome, pausedMs) => {
    const { bucket } = setUp(options);
    bucket.observe?.(outcome, taken(bucket.tryAcquire()));
    expect(bucket.stats().pausedMs).toBe(pausedMs);
  });
});

test('waitMs includes a pause, and refuses negative numbers', () => {
  const { bucket } = setUp();
  bucket.pauseFor(1_000);
  expect(bucket.waitMs(1)).toBeCloseTo(1_100, 6);
  expect(() => bucket.waitMs(-1)).toThrow('waitMs: tokens must be a finite number ≥ 0, got -1');
});
