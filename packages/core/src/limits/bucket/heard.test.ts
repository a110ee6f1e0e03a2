import { describe, expect, test } from 'vitest';
import { responds, taken, to } from '../../../test/asks.ts';
import type { Outcome } from '../../http/outcome.ts';
import { serverFeedback } from '../../http/server-feedback.ts';
import type { Grant } from '../../policy/contracts.ts';
import { virtualClock } from '../../testing.ts';
import type { TokenBucketOptions } from './options.ts';
import { quotaBucket } from './quota-bucket.ts';
import { tokenBucket } from './token-bucket.ts';

const PER_MINUTE = { refillPerSecond: 1, capacity: 60 };

/** 60 tokens, of which one comes in each second. */
function setUp(options: Partial<TokenBucketOptions> = {}) {
  const clock = virtualClock({ startMs: 0 });
  const own = { clock, random: () => 0, feedback: serverFeedback };
  const bucket = tokenBucket({ ...PER_MINUTE, ...own, ...options });
  const take = (cost: number): Grant => taken(bucket.tryAcquire(cost));
  return { bucket, clock, take, left: () => Math.round(bucket.stats().tokens * 1e3) / 1e3 };
}

describe('atMost with the grant whose answer says what is left', () => {
  test('lowers to that, less what was granted since', () => {
    const { bucket, clock, take, left } = setUp();
    const grant = take(10);
    take(20);
    bucket.atMost(25, grant);
    expect(left()).toBe(5);
    clock.tick(2_000);
    // The 25 that others took count as well, up to half of the capacity in all.
    bucket.atMost(35, grant);
    expect(left()).toBe(5);
  });

  test('what an earlier request has cost beyond what it took does not count as granted since', () => {
    const { bucket, take, left } = setUp();
    const grant = take(1);
    grant.settle(12);
    bucket.atMost(48, grant);
    expect(left()).toBe(48);
  });

  test('what is held back comes out of it', () => {
    const clock = virtualClock({ startMs: 0 });
    const bucket = quotaBucket({ limits: { tokens: { ...PER_MINUTE, chargeOn: 'completion' } }, clock });
    const grant = taken(bucket.tryAcquire(10));
    bucket.tryAcquire(20);
    bucket.atMost(55, grant);
    expect(bucket.stats().tokens).toBeCloseTo(25, 9);
  });

  test('each unit by itself', () => {
    const clock = virtualClock({ startMs: 0 });
    const bucket = quotaBucket({ limits: { a: PER_MINUTE, b: PER_MINUTE, c: PER_MINUTE }, clock });
    const grant = taken(bucket.tryAcquire({ a: 10, b: 10 }));
    bucket.tryAcquire(5);
    bucket.atMost({ a: 30, b: 55, c: 20 }, grant);
    const { a, b, c } = bucket.stats().units ?? {};
    expect([a?.tokens, b?.tokens, c?.tokens]).toEqual([25, 45, 20]);
  });
});

describe('after a refusal, what a response says is left', () => {
  const says = (remaining: number, more: Record<string, string> = {}): Outcome =>
    responds(200, { 'x-ratelimit-remaining': String(remaining), ...more });
  /** A bucket of which a request was refused. */
  const setUpRefused = (options?: Partial<TokenBucketOptions>) => {
    const world = setUp(options);
    const grant = world.take(1);
    world.bucket.observe?.(responds(429), grant, one);
    grant.settle(0);
    return world;
  };
  const [one, other] = [to('https://one.test/'), to('https://other.test/')];

  test('holds for its origin', () => {
    const { bucket, take } = setUpRefused();
    bucket.observe?.(says(10), take(1), one);
    expect(bucket.tryAcquire(11, undefined, one)).toBeUndefined();
    expect(bucket.tryAcquire(10, undefined, one)).toBeDefined();
    expect(bucket.tryAcquire(1, undefined, one)).toBeUndefined();
    expect(bucket.tryAcquire(40, undefined, other)).toBeDefined();
  });

  test.each([Number.NaN, -1])('of a custom feedback that says %d changes nothing', (remaining) => {
    const { bucket, take, left } = setUp({
      feedbackScope: 'bucket',
      feedback: () => ({ pauseMs: 0, remaining, tooFast: true }),
    });
    bucket.observe?.(says(0), take(1), one);
    expect(left()).toBe(59);
  });

  test('or for the whole bucket', () => {
    const { bucket, take, left } = setUpRefused({ feedbackScope: 'bucket' });
    bucket.observe?.(says(10), take(1), one);
    expect(left()).toBe(10);
  });

  test.each<[story: string, outcome: Outcome, cost: number]>([
    ['from a cache', says(10, { age: '5' }), 1],
    ['of a redirect', { ...says(10), status: 302 } as Outcome, 1],
    ['for requests that cost something else than one request', says(10), 2],
    ['of more than there is', says(1_000), 1],
  ])('counts for nothing if it is %s', (_, outcome, cost) => {
    const { bucket, take, left } = setUpRefused({ feedbackScope: 'bucket' });
    bucket.observe?.(outcome, take(cost), one);
    expect(left()).toBe(60 - cost);
  });

  test('not before a refusal', () => {
    const { bucket, take, left } = setUp({ feedbackScope: 'bucket' });
    bucket.observe?.(says(10), take(1), one);
    expect(left()).toBe(59);
  });

  test('for as long as the longest pause', () => {
    const { bucket, clock, take, left } = setUpRefused({ feedbackScope: 'bucket', maxPauseMs: 5_000 });
    clock.tick(5_000);
    bucket.observe?.(says(10), take(1), one);
    expect(left()).toBe(59);
  });

  test.each([10, 0])('a feedback of the user knows its unit, and may say %d', (remaining) => {
    const feedback = () => ({ pauseMs: 0, remaining, tooFast: true });
    const { bucket, take, left } = setUp({ feedback, feedbackScope: 'bucket' });
    bucket.observe?.(says(0), take(5), one);
    expect(left()).toBe(remaining);
  });

  test('of a request with several costs counts for nothing', () => {
    const clock = virtualClock({ startMs: 0 });
    const feedback = () => ({ pauseMs: 0, remaining: 10, tooFast: true });
    const limits = { requests: PER_MINUTE, tokens: PER_MINUTE };
    const bucket = quotaBucket({ limits, clock, feedback, feedbackScope: 'bucket' });
    bucket.observe?.(says(0), taken(bucket.tryAcquire({ requests: 1, tokens: 5 })), one);
    expect(bucket.stats().units).toMatchObject({ requests: { tokens: 59 }, tokens: { tokens: 55 } });
  });
});
