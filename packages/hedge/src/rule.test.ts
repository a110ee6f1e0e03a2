import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { type HedgeRule, isNew, learn, measure, newHedgeState, pay, quantileOf } from './rule.ts';

const RULE: HedgeRule = { quantile: 0.95, minDelayMs: 1, share: 0.015 };

/** The state after so many first tries, each of which takes what `timeOf` returns, in milliseconds. All hedges are there. */
function after(tries: number, timeOf: (at: number) => number, rule: HedgeRule = RULE) {
  const state = newHedgeState(rule);
  state.tokens = 10;
  for (let at = 0; at < tries; at += 1) {
    const tookMs = timeOf(at);
    if (isNew(state, rule)) measure(state, rule, tookMs);
    else learn(state, rule, tookMs > state.delayMs);
  }
  return state;
}

describe('the delay', () => {
  test.each([
    ['unknown for nineteen tries', 19, () => 5, Number.POSITIVE_INFINITY],
    ['the second longest of twenty', 20, (at: number) => at, 18],
    ['one that opened a connection does not count', 20, (at: number) => (at === 0 ? 900 : 5), 5],
    ['no shorter than the floor', 20, () => 0.1, 1],
  ])('%s', (_, tries, timeOf, delayMs) => {
    expect(after(tries, timeOf).delayMs).toBe(delayMs);
  });

  test('a fixed delay is known from the start, and stays', () => {
    const rule = { ...RULE, delayMs: 40 };
    expect(isNew(newHedgeState(rule), rule)).toBe(false);
    expect(after(1_000, (at) => at, rule).delayMs).toBe(40);
  });

  test.each([
    [0.5, 10, 0.5],
    [0.9, 10, 0.9],
    [0.95, 10, 0.95],
    [0.95, 5, 0.9725],
    [0.95, 0, 0.995],
    [0.5, 0, 0.995],
    [0.999, 0, 0.999],
  ])('from a quantile of %s with %i hedges left %s of the tries stay below it', (given, tokens, quantile) => {
    const random = seededRandom(7);
    const rule = { ...RULE, quantile: given };
    const state = after(5_000, () => -10 * Math.log(1 - random()), rule);
    state.tokens = tokens;
    expect(quantileOf(rule, state)).toBeCloseTo(quantile, 10);
    for (let at = 0; at < 50_000; at += 1) learn(state, rule, -10 * Math.log(1 - random()) > state.delayMs);
    let below = 0;
    for (let at = 0; at < 20_000; at += 1) {
      const outlasts = -10 * Math.log(1 - random()) > state.delayMs;
      if (!outlasts) below += 1;
      learn(state, rule, outlasts);
    }
    expect(Math.abs(below / 20_000 - quantile)).toBeLessThan(0.1 * (1 - quantile) + 0.001);
  });

  test('is not biased by slow tries that were aborted: of them one bit counts', () => {
    const random = seededRandom(3);
    const slow = (): number => (random() < 0.05 ? 1e9 : 5 + random());
    expect(after(20_000, slow).delayMs).toBeLessThan(50);
  });

  test('follows a service that has become ten times slower in some dozens of requests, and back in hundreds', () => {
    const random = seededRandom(1);
    const timeOf = (): number => 10 + random();
    const state = after(10_000, timeOf);
    const until = (isThere: (delayMs: number) => boolean, factor: number): number => {
      for (let tries = 0; ; tries += 1) {
        if (isThere(state.delayMs)) return tries;
        learn(state, RULE, factor * timeOf() > state.delayMs);
      }
    };
    expect(until((delayMs) => delayMs > 100, 10)).toBeLessThan(60);
    expect(until((delayMs) => delayMs < 15, 1)).toBeLessThan(1_500);
  });
});

describe('one step', () => {
  const start = { delayMs: 100, tokens: 10, seen: 24, longestMs: 0, secondMs: 0, run: 0 };
  const early = 1 - 0.5 * 0.05 * 0.2;
  const late = 1 + 0.5 * 0.95 * 0.2;

  test.each([
    [
      'a try that did not outlast it makes it shorter',
      start,
      false,
      { delayMs: 100 * early, seen: 25, run: -1 },
    ],
    ['a try that outlasted it makes it longer', start, true, { delayMs: 100 * late, seen: 25, run: 1 }],
    ['a run of late ones goes on', { ...start, run: 2 }, true, { seen: 25, run: 3 }],
    ['a run of late ones ends', { ...start, run: 2 }, false, { seen: 25, run: -1 }],
    ['a run of early ones goes on', { ...start, run: -7 }, false, { seen: 25, run: -8 }],
    ['a run of early ones ends', { ...start, run: -7 }, true, { seen: 25, run: 1 }],
    // 0.05 ** 4 is rarer than one in 100,000, and 0.05 ** 3 is not.
    ['four late ones in a row are a change', { ...start, run: 3 }, true, { seen: 20, run: 4 }],
    // 0.95 ** 225 is rarer than that, and 0.95 ** 224 is not: to the first order, 231 and 230.
    ['230 early ones in a row are chance', { ...start, run: -229 }, false, { seen: 25, run: -230 }],
    ['231 early ones in a row are a change', { ...start, run: -230 }, false, { seen: 20, run: -231 }],
    ['the steps stay as small as after 10,000', { ...start, seen: 10_000 }, true, { seen: 10_000, run: 1 }],
    ['no shorter than the floor', { ...start, delayMs: 1 }, false, { delayMs: 1, seen: 25, run: -1 }],
  ])('%s', (_, before, outlasts, expected) => {
    const state = { ...before };
    learn(state, RULE, outlasts);
    const { delayMs = state.delayMs, ...others } = expected as Partial<typeof start>;
    expect(state).toMatchObject(others);
    expect(state.delayMs).toBeCloseTo(delayMs, 10);
  });

  test('a step of 0.5 / √seen', () => {
    const state = { ...start, seen: 3_599 };
    learn(state, RULE, true);
    expect(state.delayMs).toBeCloseTo(100 * (1 + (0.5 / 60) * 0.95), 10);
  });

  test('tries are measured until twenty were seen, unless the delay is fixed', () => {
    const seen = (count: number, delayMs?: number): boolean =>
      isNew({ ...start, seen: count }, { ...RULE, delayMs });
    expect([seen(0), seen(19), seen(20), seen(0, 5)]).toEqual([true, true, false, false]);
  });
});

test('requests pay a share of a hedge, and at most ten are saved up', () => {
  const state = newHedgeState(RULE);
  expect(state.tokens).toBe(1);
  for (let at = 0; at < 50; at += 1) pay(state, RULE.share);
  expect(state.tokens).toBeCloseTo(1.75);
  for (let at = 0; at < 5_000; at += 1) pay(state, RULE.share);
  expect(state.tokens).toBe(10);
});
