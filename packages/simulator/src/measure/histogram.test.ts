import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { Histogram } from './histogram.ts';

describe('Histogram', () => {
  test('without values returns zeros', () => {
    const empty = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, p999: 0, max: 0 };
    expect(new Histogram().quantiles()).toEqual(empty);
  });

  test.each([1, 100, 10_000, 1_000_000])('quantiles are accurate to 2 %, with values up to %d ms', (most) => {
    const random = seededRandom(1);
    const values = Array.from({ length: 20_000 }, () => random() ** 2 * most);
    const histogram = new Histogram();
    for (const value of values) histogram.add(value);
    const sorted = values.toSorted((a, b) => a - b);
    const quantiles = histogram.quantiles();
    for (const [share, found] of [
      [0.5, quantiles.p50],
      [0.9, quantiles.p90],
      [0.99, quantiles.p99],
      [0.999, quantiles.p999],
    ] as const) {
      const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(0.02 * exact + 0.01);
    }
    expect(quantiles.max).toBe(sorted.at(-1));
    expect(quantiles.mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 6);
  });

  test('counts a value of zero and one of days', () => {
    const histogram = new Histogram();
    histogram.add(0);
    expect(histogram.quantiles().p99).toBe(0);
    histogram.add(1e9);
    expect(histogram.quantiles().max).toBe(1e9);
    expect(histogram.quantiles().p99).toBeGreaterThan(1e7);
  });
});
