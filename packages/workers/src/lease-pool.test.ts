import { expect, test } from 'vitest';
import { LeasePool } from './lease-pool.ts';

/** A token each 10 ms; full within 200 ms. */
const QUOTA = { refillPerSecond: 100, capacity: 20 };

test('tokens come in at the rate of the bucket, the last of them at the end', () => {
  const pool = new LeasePool(QUOTA);
  pool.add(5, 100, 0);
  expect(pool.take(1, 59)).toBe(false);
  expect(pool.waitMs(1, 50)).toBe(10);
  expect(pool.take(1, 60)).toBe(true);
  expect(pool.waitMs(4, 60)).toBe(40);
  expect(pool.waitMs(5, 60)).toBeUndefined();
  expect(pool.take(4, 100)).toBe(true);
  expect(pool.left).toBe(0);
});

test('a faster reply shows that earlier leases end sooner than known', () => {
  const pool = new LeasePool(QUOTA);
  pool.add(10, 200, 0);
  pool.add(5, 180, 50);
  expect(pool.waitMs(10, 50)).toBeCloseTo(80);
  expect(pool.waitMs(15, 50)).toBeCloseTo(130);
});

test('tokens given back bring no others before their time', () => {
  const pool = new LeasePool(QUOTA);
  pool.add(5, 50, 0);
  pool.giveBack(3, 0);
  expect(pool.take(5, 20)).toBe(true);
  expect(pool.take(1, 20)).toBe(false);
  expect(pool.waitMs(1, 20)).toBeCloseTo(10);
});

test('tokens expire one after the other', () => {
  const pool = new LeasePool(QUOTA);
  pool.add(10, 100, 0);
  pool.expire(200);
  expect(pool.left).toBe(10);
  pool.expire(250);
  expect(pool.left).toBeCloseTo(5);
  pool.expire(300);
  expect(pool.left).toBe(0);
});
