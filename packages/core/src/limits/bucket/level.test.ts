import { describe, expect, test } from 'vitest';
import { Level } from './level.ts';

const ten = { refillPerSecond: 1, capacity: 10 };

/** How many times these tokens can be taken. */
function takes(level: Level, cost: number, nowMs: number): number {
  let count = 0;
  while (count < 1_000 && level.take(cost, nowMs)) count += 1;
  return count;
}

test('tokens that come every microsecond are still exact after years', () => {
  const level = new Level({ refillPerSecond: 1e6, capacity: 10, initialTokens: 0 });
  const years = 1e12;
  expect(takes(level, 0.1, years)).toBe(100);
  expect(level.tokens(years)).toBeCloseTo(0, 6);
  expect(takes(level, 0.1, 2 * years)).toBe(100);
});

describe('a refund', () => {
  test('can be returned again after it was taken again', () => {
    const level = new Level({ ...ten, initialTokens: 10 });
    for (let round = 0; round < 3; round += 1) {
      level.take(4, 0);
      level.settle(4, level.held, 0);
      expect(level.tokens(0)).toBeCloseTo(10, 9);
    }
  });

  test('is at most what was available when the capacity changed', () => {
    const level = new Level({ refillPerSecond: 2, capacity: 10, initialTokens: 10 });
    level.take(2, 0);
    const { held } = level;
    level.setRate({ refillPerSecond: 2, capacity: 20 }, 0);
    level.settle(5, held, 0);
    expect(level.tokens(0)).toBeCloseTo(10, 9);
  });

  test('in a pause leaves the bucket empty', () => {
    const level = new Level({ ...ten, initialTokens: 10 });
    level.take(5, 0);
    const { held } = level;
    level.pause(1_000, 0);
    level.settle(5, held, 500);
    expect(level.tokens(500)).toBeCloseTo(0, 9);
    expect(level.tokens(3_000)).toBeCloseTo(2, 9);
  });

  test('in a pause pays a debt', () => {
    const level = new Level({ ...ten, initialTokens: 10 });
    level.take(5, 0);
    const { held } = level;
    level.spend(10, 0);
    level.pause(1_000, 0);
    level.settle(5, held, 500);
    expect(level.tokens(500)).toBeCloseTo(0, 9);
  });
});

test('a pause keeps what was paid of a debt before it', () => {
  const level = new Level({ ...ten, initialTokens: 0 });
  level.spend(10, 0);
  expect(level.tokens(5_000)).toBeCloseTo(-5, 9);
  level.pause(6_000, 5_000);
  expect(level.tokens(6_000)).toBeCloseTo(-5, 9);
  expect(level.tokens(9_000)).toBeCloseTo(-2, 9);
});

test('a pause with refill steps is all that nothing has to wait for', () => {
  const level = new Level({ ...ten, initialTokens: 10, refillIntervalMs: 500 });
  level.pause(1_000, 0);
  expect([level.waitMs(0, 0), level.waitMs(0.1, 0)]).toEqual([1_000, 1_500]);
});
