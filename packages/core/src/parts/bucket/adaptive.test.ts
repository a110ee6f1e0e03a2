import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../http/outcome.ts';
import type { Grant } from '../../loop/contracts.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { type AdaptiveOptions, adaptive } from './adaptive.ts';
import type { MemoryBucket } from './token-bucket.ts';

function response(status: number, headers: Record<string, string> = {}): Outcome {
  return { type: 'response', status, header: (name) => headers[name] };
}

function setUp(options: Partial<AdaptiveOptions> = {}) {
  const clock = virtualClock({ startMs: 1_000 });
  const bucket = adaptive({ refillPerSecond: 100, capacity: 20, clock, random: () => 0, ...options });
  const rate = (): number => bucket.stats().refillPerSecond;
  const grant = async (): Promise<Grant> => {
    const granted = bucket.acquire();
    await clock.advance(1);
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

describe('down', () => {
  test('a 429 lowers the rate, and a burst of them lowers it once', async () => {
    const { bucket, rate, clock, grant } = setUp();
    const burst = [await grant(), await grant(), await grant()];
    for (const one of burst) {
      clock.tick(5);
      bucket.observe?.(response(429), one);
    }
    expect(rate()).toBeCloseTo(70, 9);
    // A request that was sent after the decrease counts again.
    bucket.observe?.(response(429), await grant());
    expect(rate()).toBeCloseTo(49, 9);
  });

  test('a request sent in the moment of a decrease does not lower it again', () => {
    const { bucket, rate } = setUp();
    const [one, other] = [bucket.tryAcquire(1), bucket.tryAcquire(1)] as [Grant, Grant];
    bucket.observe?.(response(429), one);
    bucket.observe?.(response(429), other);
    expect(rate()).toBeCloseTo(70, 9);
  });

  test('a 429 lowers it even if the feedback returns nothing', async () => {
    const { bucket, rate, grant } = setUp({ feedback: () => undefined });
    bucket.observe?.(response(429), await grant());
    expect(rate()).toBeCloseTo(70, 9);
  });

  test('a 429 never raises a rate that was set below the minimum', async () => {
    const { bucket, rate, grant } = setUp({ minRefillPerSecond: 50 });
    bucket.setRate(10);
    bucket.observe?.(response(429), await grant());
    expect(rate()).toBe(10);
  });

  test('the minimum may equal the maximum: the rate stays', async () => {
    const { bucket, rate, grant } = setUp({ minRefillPerSecond: 100 });
    bucket.observe?.(response(429), await grant());
    expect(rate()).toBe(100);
  });

  test('never below the minimum', async () => {
    const { bucket, rate, grant } = setUp({ capacity: 100 });
    for (let time = 0; time < 50; time += 1) bucket.observe?.(response(429), await grant());
    expect(rate()).toBeCloseTo(1, 9);
  });

  test.each<[story: string, outcome: Outcome, lowered: boolean]>([
    ['a 503 that asks for a pause', response(503, { 'retry-after': '0', 'retry-after-ms': '5' }), true],
    ['a 503 that does not', response(503), false],
    ['a 500', response(500), false],
    [
      'too many at once, as Stripe says',
      response(429, { 'stripe-rate-limited-reason': 'global-concurrency' }),
      false,
    ],
    ['a failure', { type: 'failure', kind: 'network', error: new Error() }, false],
  ])('%s lowers it: %s', async (_, outcome, lowered) => {
    const { bucket, rate, grant } = setUp();
    bucket.observe?.(outcome, await grant());
    expect(rate() < 100).toBe(lowered);
  });

  test('an adapted rate does not keep an unused bucket from being evicted', async () => {
    const { bucket, rate, clock, grant } = setUp();
    bucket.observe?.(response(429), await grant());
    clock.tick(60_000);
    expect(rate()).toBeCloseTo(70, 9);
    expect(bucket.stats().idle).toBe(true);
    bucket.setRate(50);
    expect(bucket.stats().idle).toBe(false);
  });

  test('a requested pause applies as well', async () => {
    const { bucket, grant } = setUp();
    bucket.observe?.(response(429, { 'retry-after': '3' }), await grant());
    expect(bucket.stats().pausedMs).toBe(3_000);
  });
});

describe('up', () => {
  test('a success that had to wait raises it, up to the maximum', async () => {
    const { bucket, rate, clock, grant } = setUp();
    bucket.observe?.(response(429), await grant());
    const rates: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (const one of await waited(bucket, clock, 100)) bucket.observe?.(response(200), one);
      rates.push(rate());
    }
    expect(rates[0]).toBeGreaterThan(70);
    expect(rates).toEqual(rates.toSorted((one, other) => one - other));
    expect(rates.at(-1)).toBe(100);
    expect(Math.max(...rates)).toBe(100);
    clock.tick(60_000);
    expect(bucket.stats().idle).toBe(true);
  });

  test('by recoverPerSecond of the maximum for each second of demand', async () => {
    const { bucket, rate, clock, grant } = setUp({ recoverPerSecond: 0.1 });
    for (let time = 0; time < 4; time += 1) bucket.observe?.(response(429), await grant());
    const before = rate();
    // As many as are granted in a second.
    const grants = await waited(bucket, clock, 20 + Math.round(before));
    for (const one of grants.slice(0, Math.round(before))) bucket.observe?.(response(200), one);
    expect(rate() - before).toBeGreaterThan(7);
    expect(rate() - before).toBeLessThan(11);
  });

  test('not after a success that did not wait, which proves nothing', async () => {
    const { bucket, rate, clock, grant } = setUp();
    bucket.observe?.(response(429), await grant());
    for (let time = 0; time < 1_000; time += 1) {
      bucket.observe?.(response(200), await grant());
      clock.tick(100);
    }
    expect(rate()).toBeCloseTo(70, 9);
  });

  test('not after a success that was sent before the decrease', async () => {
    const { bucket, rate, clock } = setUp({ decreaseTo: 0.5 });
    const grants = await waited(bucket, clock, 100);
    bucket.observe?.(response(429), grants[0] as Grant);
    for (const one of grants) bucket.observe?.(response(200), one);
    expect(rate()).toBe(50);
  });
});

test.each([200, 399, 400, 500])('a %i that had to wait', async (status) => {
  const { bucket, rate, clock, grant } = setUp();
  bucket.observe?.(response(429), await grant());
  for (const one of await waited(bucket, clock, 100)) bucket.observe?.(response(status), one);
  if (status < 400) expect(rate()).toBeGreaterThan(75);
  else expect(rate()).toBeCloseTo(70, 9);
});

test('it rises in steps of a hundredth, so that the rate is not set for each response', async () => {
  const { bucket, rate, clock, grant } = setUp({ recoverPerSecond: 0.35 });
  bucket.observe?.(response(429), await grant());
  const [first, ...rest] = await waited(bucket, clock, 100);
  bucket.observe?.(response(200), first as Grant);
  // 0.5 more of 100 tokens per second.
  expect(rate()).toBeCloseTo(70, 9);
  bucket.observe?.(response(200), rest[0] as Grant);
  expect(rate()).toBeCloseTo(70, 9);
  bucket.observe?.(response(200), rest[1] as Grant);
  expect(rate()).toBeCloseTo(71.49, 2);
});

test('it finds the rate of a server, and recovers when the server does', async () => {
  const { bucket, clock, rate } = setUp({ refillPerSecond: 500, capacity: 25 });
  // The server’s own bucket.
  let serverRate = 200;
  let tokens = 20;
  let refilledAtMs = clock.now();
  const counts = { served: 0, refused: 0 };
  const send = async (): Promise<void> => {
    // Bounded, so that the loop ends also if the bucket lets no request wait.
    for (let sent = 0; sent < 10_000; sent += 1) {
      const grant = await bucket.acquire();
      tokens = Math.min(20, tokens + ((clock.now() - refilledAtMs) * serverRate) / 1_000);
      refilledAtMs = clock.now();
      const served = tokens >= 1;
      if (served) tokens -= 1;
      counts[served ? 'served' : 'refused'] += 1;
      // The response takes as long as one round.
      clock.schedule(() => bucket.observe?.(response(served ? 200 : 429), grant), 20);
    }
  };
  for (let client = 0; client < 50; client += 1) void send();
  const run = async (ms: number) => {
    counts.served = 0;
    counts.refused = 0;
    for (let passed = 0; passed < ms; passed += 10) {
      clock.tick(10);
      for (let turn = 0; turn < 10; turn += 1) await undefined;
    }
    return { ...counts, rate: rate() };
  };
  await run(10_000);
  const limited = await run(20_000);
  // Most of the server's rate is used, with few refusals.
  expect(limited.served / 20).toBeGreaterThan(160);
  expect(limited.refused / (limited.served + limited.refused)).toBeLessThan(0.1);
  serverRate = 1_000;
  await run(20_000);
  expect(rate()).toBe(500);
  expect((await run(5_000)).served / 5).toBeGreaterThan(490);
});

test('setRate sets a new maximum', async () => {
  const { bucket, rate, clock, grant } = setUp();
  bucket.observe?.(response(429), await grant());
  bucket.setRate(80);
  expect(rate()).toBeCloseTo(80, 9);
  bucket.observe?.(response(429), await grant());
  for (let round = 0; round < 10; round += 1) {
    for (const one of await waited(bucket, clock, 100)) bucket.observe?.(response(200), one);
  }
  expect(rate()).toBeCloseTo(80, 9);
});

test.each<[options: Partial<AdaptiveOptions>, message: string]>([
  [{ decreaseTo: 1 }, 'adaptive: decreaseTo must be a number between 0 and 1, got 1'],
  [{ decreaseTo: 0 }, 'adaptive: decreaseTo must be'],
  [{ recoverPerSecond: 0 }, 'adaptive: recoverPerSecond must be'],
  [{ minRefillPerSecond: 0 }, 'adaptive: minRefillPerSecond must be'],
  [{ minRefillPerSecond: 101 }, 'adaptive: minRefillPerSecond must be at most 100, got 101'],
  [{ refillPerSecond: 0 }, 'adaptive: refillPerSecond must be'],
  [{ rate: 5 } as never, 'adaptive has no option "rate"'],
])('%j is refused', (options, message) => {
  expect(() => setUp(options)).toThrow(message);
});
