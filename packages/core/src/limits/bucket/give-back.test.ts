import { expect, test } from 'vitest';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from './token-bucket.ts';

const RESERVED = 4_096;
const USED = 405;

test.each([
  ['the first taken settles first', (index: number) => index],
  ['the last taken settles first', (index: number) => 18 - index],
  ['they settle in any order', (index: number) => (index * 7) % 19],
])('of 19 grants that used a tenth all of the rest comes back: %s', (_, inTurn) => {
  const clock = virtualClock();
  const bucket = tokenBucket({ capacity: 80_000, refillPerSecond: 80_000 / 60, clock });
  const grants = Array.from({ length: 19 }, () => bucket.tryAcquire(RESERVED));
  const before = bucket.stats().tokens;
  for (let index = 0; index < 19; index += 1) grants[inTurn(index)]?.settle(USED);
  expect(bucket.stats().tokens - before).toBeCloseTo(19 * (RESERVED - USED), 3);
});

test('near a full bucket each token comes back', () => {
  const bucket = tokenBucket({ capacity: 1_000, refillPerSecond: 1e-6, clock: virtualClock() });
  const grants = [1, 1, 1].map((cost) => bucket.tryAcquire(cost));
  for (const grant of grants.toReversed()) grant?.settle(0);
  expect(bucket.stats().tokens).toBeCloseTo(1_000, 3);
});
