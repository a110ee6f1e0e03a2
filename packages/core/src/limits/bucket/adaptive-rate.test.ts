import { describe, expect, test } from 'vitest';
import { type AdaptiveRate, afterRefusal, afterSuccess, beforeFirst, firstRate } from './adaptive-rate.ts';

const bounds = { lowest: 1, highest: 1_000 };

/** A state after a first round of refusals. */
function found(rate: number, more: Partial<AdaptiveRate> = {}): AdaptiveRate {
  return { rate, step: 0, calmSeconds: 1, roundAtMs: 0, floor: 0.5 * rate, ...more };
}

/** The rate after a second of successes. */
function aSecondLater(state: AdaptiveRate, cost = 1): AdaptiveRate {
  let after = state;
  for (let sent = 0; sent < Math.round(state.rate / cost); sent += 1)
    after = afterSuccess(after, bounds, cost, 1);
  return after;
}

describe('the start', () => {
  test.each([
    [{ lowest: 0.1, highest: 1_000 }, 2],
    [{ lowest: 0.1, highest: 10 }, 1],
    [{ lowest: 0.05, highest: 0.5 }, 0.5],
    [{ lowest: 50, highest: 1_000 }, 50],
  ])('%j starts at %d', (given, rate) => {
    expect(firstRate(given).rate).toBe(rate);
  });

  test('about doubles in a second', () => {
    const after = aSecondLater(firstRate(bounds));
    expect(after.rate).toBeCloseTo(2 + 2 * Math.LN2, 9);
    expect(aSecondLater({ ...firstRate(bounds), rate: 16 }).rate).toBeCloseTo(16 * (1 + Math.LN2), 9);
  });

  test('is at least one request per second, whatever a request costs, until a refusal', () => {
    expect(beforeFirst(firstRate(bounds), bounds, 300).rate).toBe(300);
    expect(beforeFirst(firstRate(bounds), bounds, 3_000).rate).toBe(1_000);
    expect(beforeFirst(found(10), bounds, 300).rate).toBe(10);
    const first = firstRate(bounds);
    expect(beforeFirst(first, bounds, Number.NaN)).toBe(first);
  });
});

describe('growth', () => {
  test.each([
    [0, 1],
    [20, 2],
    [40, 5],
  ])('after %d s without a refusal is %d times as fast', (calmSeconds, times) => {
    const grown = (calm: number) =>
      afterSuccess(found(100, { calmSeconds: calm - 0.01 }), bounds, 1, 1).rate - 100;
    expect(grown(calmSeconds) / grown(0)).toBeCloseTo(times, 9);
  });

  test.each([[10], [100], [900]])('is a small share of %d in a second', (rate) => {
    const grown = aSecondLater(found(rate)).rate / rate - 1;
    expect(grown).toBeGreaterThan(0.015);
    expect(grown).toBeLessThan(0.05);
  });

  test('ends at the highest rate, and ignores what was sent in the round of the last refusal', () => {
    expect(afterSuccess(found(999.99), bounds, 1, 1).rate).toBe(1_000);
    expect(afterSuccess(found(10, { roundAtMs: 5 }), bounds, 1, 5).rate).toBe(10);
  });
});

describe('a refusal', () => {
  test.each([
    [1, 0.694],
    [10, 8.434],
    [1_000, 968.1],
  ])('takes less of a larger rate: %d becomes %d', (rate, lowered) => {
    expect(afterRefusal(found(rate), { ...bounds, lowest: 0.1 }, 1, 1, 2).rate).toBeCloseTo(lowered, 1);
  });

  test('of the same round takes more, down to half of the rate before it', () => {
    let state = found(100);
    const rates = Array.from({ length: 10 }, () => {
      state = afterRefusal(state, bounds, 1, 1, 2);
      return Math.round(state.rate);
    });
    expect(rates).toEqual([93, 86, 79, 73, 67, 62, 56, 51, 50, 50]);
    // Sent after the first of them was known.
    expect(afterRefusal(state, bounds, 1, 3, 4).rate).toBeLessThan(50);
  });

  test('takes a quarter if nothing was served since the one before', () => {
    const first = afterRefusal(found(10), bounds, 1, 1, 2);
    const again = afterRefusal(first, bounds, 1, 3, 4);
    expect(1 - again.rate / first.rate).toBeLessThan((1 - first.rate / 10) / 3);
    const served = afterRefusal(afterSuccess(first, bounds, 1, 3), bounds, 1, 4, 5);
    expect(served.rate).toBeLessThan(again.rate);
  });

  test('ends the fast start, but not before the first success', () => {
    let state = afterRefusal(firstRate(bounds), bounds, 1, 1, 2);
    expect(state.step).toBe(Math.LN2);
    state = afterRefusal(afterSuccess(state, bounds, 1, 3), bounds, 1, 4, 5);
    expect(state.step).toBeCloseTo(0.4 * Math.LN2, 9);
  });

  test('takes nothing below the lowest rate, and raises no rate that is lower', () => {
    expect(afterRefusal(found(1), bounds, 1, 1, 2).rate).toBe(1);
    expect(afterRefusal(found(0.5), { lowest: 1, highest: 0.5 }, 1, 1, 2).rate).toBe(0.5);
  });
});
