import { describe, expect, test } from 'vitest';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from './token-bucket.ts';

const clock = virtualClock({ startMs: 5_000 });
const five = { refillPerSecond: 1, capacity: 5, clock, random: () => 0 };
const request: RequestTraits = {
  method: 'GET',
  url: 'https://upstream.test/',
  replayable: true,
  header: () => undefined,
};

describe('an error names the method and the argument', () => {
  test.each<[name: string, ask: (bucket: ReturnType<typeof tokenBucket>) => unknown]>([
    ['tryAcquire: cost', (bucket) => bucket.tryAcquire(6)],
    ['setRate: refillPerSecond', (bucket) => bucket.setRate(0)],
    ['setRate: capacity', (bucket) => bucket.setRate(1, 0)],
  ])('%s', (name, ask) => {
    expect(() => ask(tokenBucket(five))).toThrow(`${name} must be`);
  });

  test('acquire: cost', async () => {
    await expect(tokenBucket(five).acquire({ cost: 6 })).rejects.toThrow('acquire: cost must be');
  });
});

test('a refusal says that the tokens are not available', async () => {
  const bucket = tokenBucket({ ...five, nonConforming: 'reject', initialTokens: 0 });
  await expect(bucket.acquire()).rejects.toThrow('its tokens are not available');
});

test('a lower capacity refuses all requests that cost more at once', async () => {
  const bucket = tokenBucket({ ...five, initialTokens: 0 });
  const large = [4, 5, 3].map((cost) => bucket.acquire({ cost }).catch((error: unknown) => error));
  bucket.setRate(1, 3);
  expect(bucket.stats().waiting).toBe(1);
  expect(await Promise.all(large.slice(0, 2))).toMatchObject([
    { reason: 'capacity-lowered', message: expect.stringContaining('costs 4 tokens') },
    { reason: 'capacity-lowered', message: expect.stringContaining('capacity is now 3') },
  ]);
  await clock.advance(3_000);
  expect(await large[2]).toMatchObject({ cost: 3, waitedMs: 3_000 });
});

test('a marked grant carries its time, as a conforming one does', async () => {
  const bucket = tokenBucket({ ...five, nonConforming: 'mark', initialTokens: 1 });
  const grants = [await bucket.acquire(), await bucket.acquire()];
  expect(grants).toMatchObject([
    { conforming: true, grantedAtMs: clock.now() },
    { conforming: false, grantedAtMs: clock.now() },
  ]);
});

test('a full bucket with a paused origin is not idle', async () => {
  const bucket = tokenBucket(five);
  const grant = bucket.tryAcquire(1);
  if (grant === undefined) throw new Error('the bucket is full');
  grant.settle(0);
  expect(bucket.stats().idle).toBe(true);
  const outcome: Outcome = {
    type: 'response',
    status: 429,
    header: (name) => (name === 'retry-after' ? '60' : undefined),
  };
  bucket.observe?.(outcome, grant, request);
  expect(bucket.stats()).toMatchObject({ tokens: 5, idle: false });
});
