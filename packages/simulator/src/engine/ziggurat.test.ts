import { describe, expect, test } from 'vitest';
import { normalSource } from './ziggurat.ts';

function draws(seed: number, mean: number, deviation: number, count: number): Float64Array {
  const target = new Float64Array(count);
  normalSource(seed)(target, mean, deviation);
  return target;
}

describe('normalSource', () => {
  const standard = draws(1, 100, 1, 2_000_000).map((x) => x - 100);

  test('has the first four moments of a normal distribution', () => {
    const moment = (power: number): number =>
      standard.reduce((sum, x) => sum + x ** power, 0) / standard.length;
    expect(moment(1)).toBeCloseTo(0, 2);
    expect(moment(2)).toBeCloseTo(1, 2);
    expect(moment(3)).toBeCloseTo(0, 1);
    expect(moment(4)).toBeCloseTo(3, 1);
  });

  test.each([
    [1, 0.158655],
    [2, 0.02275],
    [3, 0.00135],
    [3.66, 0.000126],
  ])('beyond %d deviations on either side lies a share of %d', (edge, share) => {
    const error = 4 * Math.sqrt(share / standard.length);
    const above = standard.reduce((count, x) => count + (x > edge ? 1 : 0), 0) / standard.length;
    const below = standard.reduce((count, x) => count + (x < -edge ? 1 : 0), 0) / standard.length;
    expect(Math.abs(above - share)).toBeLessThan(error);
    expect(Math.abs(below - share)).toBeLessThan(error);
  });

  test('is never negative', () => {
    expect(Math.min(...draws(2, 0, 5, 10_000))).toBeGreaterThanOrEqual(0);
  });

  test('the same seed gives the same sequence for any block size', () => {
    const source = normalSource(3);
    const [left, right] = [new Float64Array(500), new Float64Array(500)];
    source(left, 10, 2);
    source(right, 10, 2);
    const whole = draws(3, 10, 2, 1_000);
    const different = [...left, ...right].filter((x, at) => x !== whole[at]);
    // Draws at the edge of a layer take further random numbers, and when they do depends on the block size.
    expect(different.length).toBeLessThan(20);
    expect(draws(3, 10, 2, 1_000)).toEqual(whole);
    expect(draws(4, 10, 2, 1_000)).not.toEqual(whole);
  });
});
