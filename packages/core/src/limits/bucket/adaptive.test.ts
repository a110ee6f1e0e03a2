import { describe, expect, test } from 'vitest';
import { responds, to } from '../../../test/asks.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { Grant } from '../../policy/contracts.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { type AdaptiveOptions, adaptive } from './adaptive.ts';
import type { MemoryBucket } from './token-bucket.ts';

/** A bucket that starts with 100 per second and 20 tokens. */
function setUp(options: Partial<AdaptiveOptions> = {}) {
  const clock = virtualClock({ startMs: 1_000 });
  const start = { refillPerSecond: 50_000, capacity: 20, initialTokens: 20 };
  const bucket = adaptive({ ...start, clock, random: () => 0, ...options });
  const rate = (): number => bucket.stats().refillPerSecond;
  const grant = async (): Promise<Grant> => {
    const granted = bucket.acquire();
    await clock.advance(100);
    return granted;
  };
  return { clock, bucket, rate, grant };
}

/** Grants of requests that had to wait. */
async function waited(bucket: MemoryBucket, clock: VirtualClock, count: number): Promise<Grant[]> {
  const grants = Array.from({ length: count }, () => bucket.acquire());
  await clock.advance(60_000);
  return (await Promise.all(grants)).filter(({ waitedMs }) => waitedMs > 0);
}

describe('the start', () => {
  test.each<[options: Partial<AdaptiveOptions>, rate: number, tokens: number]>([
    [{ refillPerSecond: 1_000, initialTokens: undefined }, 2, 1],
    [{ refillPerSecond: 100, initialTokens: undefined }, 1, 1],
    [{ refillPerSecond: 0.5, capacity: 0.5, initialTokens: undefined }, 0.5, 0.5],
    [{ refillPerSecond: 100, minRefillPerSecond: 40, initialTokens: 7 }, 40, 7],
  ])('%j: %d per second, %d tokens', (options, rate, tokens) => {
    const { bucket } = setUp(options);
    expect(bucket.stats()).toMatchObject({ refillPerSecond: rate, tokens });
  });

  test('a request that costs more than comes in within a second raises the rate to its cost', async () => {
    const { bucket, clock, rate } = setUp({
      refillPerSecond: 1_000,
      capacity: 500,
      initialTokens: undefined,
    });
    const granted = bucket.acquire({ cost: 400 });
    expect(rate()).toBe(400);
    await clock.advance(1_000);
    expect((await granted).waitedMs).toBeLessThan(1_000);
    expect(bucket.tryAcquire(500)).toBeUndefined();
    expect(rate()).toBe(500);
  });
});

describe('down', () => {
  const STRIPE = { 'stripe-rate-limited-reason': 'global-concurrency' };
  const says = (remaining: string) => ({ 'ratelimit-remaining': remaining, 'ratelimit-reset': '1' });

  test('it drops the tokens that were saved up', async () => {
    const { bucket, grant } = setUp();
    const granted = await grant();
    expect(bucket.stats().tokens).toBe(20);
    bucket.observe?.(responds(429), granted);
    expect(bucket.stats().tokens).toBe(0);
  });

  test('a success that leaves nothing of the quota lowers it, too, and keeps the tokens for others', async () => {
    const { bucket, rate, grant } = setUp();
    bucket.observe?.(responds(200, says('0')), await grant(), to('https://one.test/'));
    expect(rate()).toBeCloseTo(98.1, 1);
    expect(bucket.stats().tokens).toBeGreaterThan(15);
  });

  test('the minimum may equal the maximum: the rate stays, and so do the tokens', async () => {
    const { bucket, rate, grant } = setUp({ refillPerSecond: 100, minRefillPerSecond: 100 });
    bucket.observe?.(responds(429), await grant());
    expect(rate()).toBe(100);
    expect(bucket.stats().tokens).toBe(20);
  });

  test.each<[story: string, outcome: Outcome, lowered: boolean, feedback?: () => undefined]>([
    ['a success that leaves enough', responds(200, says('1')), false],
    ['a 429, although the feedback returns nothing', responds(429), true, () => undefined],
    ['a 503 that asks for a pause', responds(503, { 'retry-after': '0', 'retry-after-ms': '5' }), true],
    ['a 503 that does not', responds(503), false],
    ['a 500', responds(500), false],
    ['too many at once', responds(429, STRIPE), false],
    ['a failure', { type: 'failure', kind: 'network', error: new Error() }, false],
  ])('%s lowers it: %s', async (_, outcome, lowered, feedback) => {
    const { bucket, rate, grant } = setUp({ feedback });
    bucket.observe?.(outcome, await grant());
    expect(rate() < 100).toBe(lowered);
  });

  test('an adapted rate does not keep an unused bucket from being evicted', async () => {
    const { bucket, rate, clock, grant } = setUp();
    bucket.observe?.(responds(429), await grant());
    clock.tick(60_000);
    expect(rate()).toBeLessThan(100);
    expect(bucket.stats().idle).toBe(true);
    bucket.setRate(50);
    expect(bucket.stats().idle).toBe(false);
  });
});

describe('up', () => {
  test('not after a success that did not wait, which proves nothing', async () => {
    const { bucket, rate, clock, grant } = setUp();
    for (let time = 0; time < 1_000; time += 1) {
      bucket.observe?.(responds(200), await grant());
      clock.tick(100);
    }
    expect(rate()).toBe(100);
  });
});

test.each([200, 399, 400, 500])('a %i that had to wait', async (status) => {
  const { bucket, rate, clock } = setUp();
  for (const one of await waited(bucket, clock, 100)) bucket.observe?.(responds(status), one);
  if (status < 400) expect(rate()).toBeGreaterThan(120);
  else expect(rate()).toBe(100);
});

test('it rises in steps of a hundredth, so that the rate is not set for each response', async () => {
  const { bucket, rate, clock } = setUp();
  const [first, ...rest] = await waited(bucket, clock, 100);
  bucket.observe?.(responds(200), first as Grant);
  // 0.69 more of 100 tokens per second.
  expect(rate()).toBe(100);
  bucket.observe?.(responds(200), rest[0] as Grant);
  expect(rate()).toBeCloseTo(101.39, 2);
});

test('setRate sets a new maximum, and what was found stays below it', async () => {
  const { bucket, rate, clock } = setUp();
  bucket.setRate(110);
  expect(rate()).toBe(100);
  bucket.setRate(80);
  expect(rate()).toBe(80);
  for (const one of await waited(bucket, clock, 200)) bucket.observe?.(responds(200), one);
  expect(rate()).toBe(80);
});

test.each<[options: Partial<AdaptiveOptions>, message: string]>([
  [{ minRefillPerSecond: 0 }, 'adaptive: minRefillPerSecond must be'],
  [{ refillPerSecond: 100, minRefillPerSecond: 101 }, 'minRefillPerSecond must be at most 100, got 101'],
  [{ initialTokens: 21 }, 'adaptive: initialTokens must be at most the capacity, 20'],
  [{ refillPerSecond: 2e9 }, 'adaptive: refillPerSecond must be a number from 1e-9 to 1e9'],
  [{ rate: 5 } as never, 'adaptive has no option "rate"'],
])('%j is refused', (options, message) => {
  expect(() => setUp(options)).toThrow(message);
});
