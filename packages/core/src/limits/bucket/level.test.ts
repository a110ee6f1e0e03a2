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

/** The tokens that a settled grant gives back, of those it took, after these changes. The level has 10 tokens, of which one comes in each second. */
function givenBack(tokens: number, of: string, changes: readonly string[], quota = ten): number {
  const level = new Level({ ...quota, initialTokens: quota.capacity });
  const held = new Map<string, unknown>();
  let nowMs = 0;
  for (const change of changes) {
    const [what, amount = '', name = ''] = change.split(' ');
    if (what === 'wait') nowMs += Number(amount) * 1_000;
    if (what === 'take') expect(level.take(Number(amount), nowMs)).toBe(true);
    if (what === 'spend') level.spend(Number(amount), nowMs);
    if (what === 'settle') level.settle(Number(amount), held.get(name), nowMs);
    if (what === 'take') held.set(name, level.held);
  }
  const before = level.tokens(nowMs);
  level.settle(tokens, held.get(of), nowMs);
  return Number((level.tokens(nowMs) - before).toFixed(6));
}

describe('a grant gives back no more than the level has had room for ever since', () => {
  test.each<[story: string, tokens: number, of: string, changes: string[], given: number]>([
    ['all, if no one has taken any since', 4, 'a', ['take 4 a'], 4],
    ['as much as fits', 4, 'a', ['take 4 a', 'wait 3'], 1],
    ['what was lacking when others took', 3, 'a', ['wait 9', 'take 5', 'take 3 a', 'wait 6', 'take 4'], 2],
    ['what was lacking when others cost more', 3, 'a', ['take 5', 'take 3 a', 'wait 6', 'spend 4'], 2],
    ['the least of several', 5, 'a', ['take 1 a', 'take 2', 'take 3', 'take 4'], 1],
    ['what a later one has left', 1, 'a', ['take 1 a', 'take 3 b', 'wait 2', 'take 3', 'settle 3 b'], 0],
    [
      'an earlier room that is less than what a later one has left',
      5,
      'a',
      ['take 1 a', 'take 1', 'take 4 b', 'take 3', 'settle 1 b'],
      1,
    ],
    // Rooms that differ by less than a thirty-second of the smaller one are one.
    ['about what was lacking', 5, 'b', ['take 4', 'take 0.1 b', 'take 1'], 4],
    ['exactly, beyond that', 5, 'b', ['take 4', 'take 0.2 b', 'take 1'], 4.2],
  ])('%s', (_, tokens, of, changes, given) => {
    expect(givenBack(tokens, of, changes)).toBe(given);
  });

  test.each([
    [1, 1],
    [0.5, 0],
  ])('a room of %d of 1e9 tokens is %d', (cost, given) => {
    const quota = { refillPerSecond: 1, capacity: 1e9 };
    expect(givenBack(5, 'a', [`take ${cost} a`, 'take 5'], quota)).toBe(given);
  });

  test('whatever another level has taken', () => {
    const [one, other] = [10, 10].map((initialTokens) => new Level({ ...ten, initialTokens })) as [
      Level,
      Level,
    ];
    one.take(2, 0);
    const { held } = one;
    one.take(2, 0);
    other.take(8, 0);
    other.take(1, 0);
    one.settle(5, held, 0);
    expect(one.tokens(0)).toBe(8);
  });
});

test('tokens that lack by a billionth of the capacity are there', () => {
  const level = () => new Level({ refillPerSecond: 1, capacity: 1e9, initialTokens: 5 });
  expect([level().waitMs(6, 0), level().waitMs(7, 0)]).toEqual([0, 2_000]);
  expect([level().take(6, 0), level().take(7, 0)]).toEqual([true, false]);
});

test.each([10, 289_048_657])('refill step %d is there at its time, and not before', (step) => {
  const level = new Level({ refillPerSecond: 1e4, capacity: 1e12, refillIntervalMs: 0.1, initialTokens: 0 });
  // Each step brings a token.
  expect(Math.round(level.tokens(step * 0.1))).toBe(step);
  expect(Math.round(level.tokens(step * 0.1 - 0.01))).toBe(step - 1);
});

describe('the wait for a cost above the capacity, with refill steps', () => {
  test.each<[perStep: number, tokens: number, cost: number, steps: number]>([
    [3, 0, 12, 4],
    [10, 5, 12, 1],
    [10, 0, 12, 2],
    // A step adds no more than there is room for.
    [20, 0, 12, 2],
    [20, 0, 20, 2],
    [20, 0, 21, 3],
  ])('%d tokens in each step, %d there, %d wanted: %d steps', (perStep, initialTokens, cost, steps) => {
    const level = new Level({
      ...{ refillPerSecond: perStep, capacity: 10, refillIntervalMs: 1_000, initialTokens },
    });
    expect(level.waitMs(cost, 0)).toBe(steps * 1_000);
  });
});

test('no wait is set for an empty queue', () => {
  expect(new Level({ ...ten, initialTokens: 0 }).dueMs(0, 0)).toBe(Number.POSITIVE_INFINITY);
});

test('a pause of no time, and the end of a pause that is none, change nothing', () => {
  const level = new Level({ ...ten, initialTokens: 5 });
  level.pause(0, 0);
  level.resume(2_000);
  expect(level.tokens(2_000)).toBe(7);
});

test('a level is idle once it is full, unless the user wants another rate', () => {
  const level = new Level({ ...ten, initialTokens: 10 });
  level.setRate({ ...ten, refillPerSecond: 5 }, 0, false);
  expect(level.isIdle(0)).toBe(true);
  level.setRate({ ...ten, refillPerSecond: 5 }, 0);
  expect(level.isIdle(0)).toBe(false);
  level.setRate(ten, 0);
  expect(level.isIdle(0)).toBe(true);
});
