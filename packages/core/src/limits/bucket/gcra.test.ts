import { describe, expect, test } from 'vitest';
import { giveBack, type Quota, spend, stateWith, tokensAt } from './gcra.ts';

function quota(refillPerSecond: number, capacity: number): Quota {
  return { refillPerSecond, capacity };
}

test.each<[story: string, atMs: number, tokens: number]>([
  ['fills', 100, 5],
  ['is full at its capacity', 200, 10],
  ['holds no more however long it is left alone', 1e12, 10],
  ['loses nothing to a clock that steps back, and gains nothing', 0, 0],
  ['owes what a clock far back has taken', -100, -5],
])('a bucket of 10 at 50 a second that was emptied at 0 %s', (_, atMs, tokens) => {
  expect(tokensAt(quota(50, 10), 0, atMs)).toBeCloseTo(tokens, 9);
});

describe('a refund', () => {
  const limits = quota(1, 10);
  const held = spend(limits, stateWith(limits, 10, 0), 10, 0);

  test.each<[story: string, tokens: number, atMs: number, there: number]>([
    ['at once is there at once', 10, 0, 10],
    ['in part is there in part', 4, 0, 4],
    ['after half of it has come in again never fills more than the bucket', 10, 5_000, 10],
    ['less than nothing is nothing', -5, 0, 0],
  ])('%s', (_, tokens, atMs, there) => {
    expect(tokensAt(limits, giveBack(limits, held, tokens, held, atMs), atMs)).toBeCloseTo(there, 9);
  });
});
