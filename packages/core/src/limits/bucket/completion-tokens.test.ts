import { describe, expect, test } from 'vitest';
import { asked, taken } from '../../../test/asks.ts';
import { type QuotaBucketOptions, type QuotaLimit, quotaBucket } from './quota-bucket.ts';

/** A bucket that charges at the end: 60 tokens, of which one comes in each second. */
function setUp({
  initialTokens,
  ...options
}: Partial<QuotaBucketOptions> & Pick<QuotaLimit, 'initialTokens'> = {}) {
  const limits = {
    tokens: { refillPerSecond: 1, capacity: 60, initialTokens, chargeOn: 'completion' as const },
  };
  const set = asked((clock) => quotaBucket({ limits, clock, random: () => 0, ...options }));
  return { ...set, left: () => Math.round(set.bucket.stats().tokens * 1e3) / 1e3 };
}

test('what is in flight is held back, however long it takes', () => {
  const { bucket, clock, left } = setUp();
  const grant = taken(bucket.tryAcquire(50));
  expect(left()).toBe(10);
  clock.tick(300_000);
  expect(left()).toBe(10);
  expect(bucket.tryAcquire(11)).toBeUndefined();
  grant.settle(50);
  expect(left()).toBe(10);
  clock.tick(10_000);
  expect(left()).toBe(20);
});

describe('a grant that is never settled', () => {
  test('is charged after ten minutes', () => {
    const { bucket, clock, left } = setUp();
    taken(bucket.tryAcquire(50));
    clock.tick(599_000);
    expect(left()).toBe(10);
    // At that time, even if no one looks.
    clock.tick(31_000);
    expect(left()).toBe(40);
    expect(clock.pending).toBe(0);
  });

  test('gives nothing back any more, but what it cost beyond is charged', () => {
    const { bucket, clock, left } = setUp();
    const [one, other] = [taken(bucket.tryAcquire(10)), taken(bucket.tryAcquire(10))];
    clock.tick(600_000);
    one.settle(0);
    expect(left()).toBe(40);
    other.settle(15);
    expect(left()).toBe(35);
  });

  test('lets those go on that wait for it', async () => {
    const { bucket, clock, lines, ask } = setUp();
    taken(bucket.tryAcquire(50));
    clock.tick(100_000);
    taken(bucket.tryAcquire(10));
    ask('a', { cost: 30 });
    await clock.advance(1_000_000);
    // 60 − 50 are left after 600 s, of which 10 are held back: 30 more take 30 s.
    expect(lines).toEqual(['a 630000']);
  });
});
