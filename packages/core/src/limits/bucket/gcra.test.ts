import { describe, expect, test } from 'vitest';
import {
  giveBack,
  type Quota,
  spend,
  stateWith,
  stepsBy,
  stepsToWait,
  take,
  tokensAt,
  waitMs,
} from './gcra.ts';

function quota(refillPerSecond: number, capacity: number): Quota {
  return { refillPerSecond, capacity };
}

/** Asks `count` times for one token at each moment, and counts the grants. */
function serve(limits: Quota, arrivals: Iterable<readonly [atMs: number, count: number]>): [number, number] {
  let state = stateWith(limits, limits.capacity, 0);
  let served = 0;
  let throttled = 0;
  for (const [atMs, count] of arrivals) {
    for (let request = 0; request < count; request += 1) {
      const after = take(limits, state, 1, atMs);
      if (after === undefined) throttled += 1;
      else {
        served += 1;
        state = after;
      }
    }
  }
  return [served, throttled];
}

/** `total` requests, one after the other, evenly over the milliseconds from `fromMs` to `untilMs`. */
function* evenly(total: number, fromMs: number, untilMs: number): Generator<[number, number]> {
  for (let request = 0; request < total; request += 1) {
    yield [fromMs + Math.floor((request * (untilMs - fromMs)) / total), 1];
  }
}

describe('the five examples of Amazon API Gateway: 10,000 a second, burst 5,000', () => {
  const amazon = quota(10_000, 5_000);
  test.each<[story: string, arrivals: (readonly [number, number])[], served: number, throttled: number]>([
    ['10 in each millisecond of a second', [...evenly(10_000, 0, 1_000)], 10_000, 0],
    ['10,000 in the first millisecond', [[0, 10_000]], 5_000, 5_000],
    ['5,000 in the first, and 5,000 over the others', [[0, 5_000], ...evenly(5_000, 1, 1_000)], 10_000, 0],
    [
      '5,000 in the first, and 5,000 in the 101st',
      [
        [0, 5_000],
        [100, 5_000],
      ],
      6_000,
      4_000,
    ],
    [
      '5,000 in the first, 1,000 in the 101st, and 4,000 over the rest',
      [[0, 5_000], [100, 1_000], ...evenly(4_000, 101, 1_000)],
      10_000,
      0,
    ],
  ])('%s', (_, arrivals, served, throttled) => {
    expect(serve(amazon, arrivals)).toEqual([served, throttled]);
  });
});

test.each<[story: string, atMs: number, tokens: number]>([
  ['fills', 100, 5],
  ['is full at its capacity', 200, 10],
  ['holds no more however long it is left alone', 1e12, 10],
  ['loses nothing to a clock that steps back, and gains nothing', 0, 0],
  ['owes what a clock far back has taken', -100, -5],
])('a bucket of 10 at 50 a second that was emptied at 0 %s', (_, atMs, tokens) => {
  expect(tokensAt(quota(50, 10), 0, atMs)).toBeCloseTo(tokens, 9);
});

test.each<[cost: number, atMs: number, wait: number]>([
  [1, 0, 20],
  [1, 15, 5],
  [1, 20, 0],
  [0.5, 0, 10],
  [10, 0, 200],
  // More than the capacity: for several requests in a row.
  [25, 0, 500],
])(
  '%d tokens of an empty bucket at 50 a second, asked for at %d ms, are there in %d ms',
  (cost, atMs, wait) => {
    const limits = quota(50, 10);
    expect(waitMs(limits, 0, cost, atMs)).toBeCloseTo(wait, 6);
    if (cost <= 10) expect(take(limits, 0, cost, atMs + wait)).toBeDefined();
  },
);

test('sums of fractions are whole', () => {
  // Three times 0.1 is a little more than 0.3.
  const limits = quota(10, 0.3);
  expect(serve(quota(10, 3), [[0, 3]])).toEqual([3, 0]);
  let state = stateWith(limits, 0.3, 0);
  for (let time = 0; time < 3; time += 1) state = take(limits, state, 0.1, 0) ?? Number.NaN;
  expect(tokensAt(limits, state, 0)).toBeCloseTo(0, 9);
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

  test('excludes tokens that were refilled meanwhile', () => {
    const spentAgain = spend(limits, held, 10, 10_000);
    const state = giveBack(limits, spentAgain, 10, held, 10_000);
    expect(tokensAt(limits, state, 10_000)).toBeCloseTo(0, 9);
  });
});

test.each([
  [100, 299.9, 2],
  [100, 300, 3],
  // The quotient is 2.9999999999999996.
  [0.1, 0.3, 3],
  [100, -50, -1],
])('steps of %d ms by %d: %d', (intervalMs, nowMs, steps) => {
  expect(stepsBy(intervalMs, nowMs)).toBe(steps);
});

test.each<[story: string, emptyAtMs: number, cost: number, everyMs: number, steps: number]>([
  ['a full bucket', 0, 10, 100, 0],
  ['an empty one', 1_000, 1, 100, 1],
  ['an empty one, for three', 1_000, 3, 100, 3],
  ['half a bucket', 500, 6, 100, 1],
  ['half a bucket, for seven', 500, 7, 100, 2],
  ['a debt of two and a half', 1_250, 1, 100, 4],
  ['steps that fill it', 1_000, 10, 2_000, 1],
])('how many steps until the tokens are there: %s', (_, emptyAtMs, cost, everyMs, steps) => {
  expect(stepsToWait(quota(10, 10), emptyAtMs, cost, 1_000, everyMs)).toBe(steps);
});
