import { describe, expect, test } from 'vitest';
import { brownOut } from './brown-out.ts';
import { RULES, type Rule } from './rules.ts';
import { TAILS, tail } from './tail.ts';

const make = (name: string): Rule => (RULES[name] as () => Rule)();
const FIXED = Object.keys(RULES).filter((name) => name.startsWith('quantile'));

describe.each(Object.entries(TAILS))('of a service: %s', (world, stragglers) => {
  const own = tail(make('ebb'), 7, stragglers);

  test('the slowest thousandth is near that of the best fixed quantile', () => {
    const best = Math.min(...FIXED.map((name) => tail(make(name), 7, stragglers).p999));
    expect(own.p999).toBeLessThanOrEqual(1.3 * best);
  });

  test('hedges that lose are no more than the requests pay for', () => {
    const slow = stragglers.share;
    expect(own.extra).toBeLessThan(0.015 + 1.1 * slow + 0.002);
    if (world.startsWith('1 %')) expect(own.extra).toBeLessThanOrEqual(0.03);
  });
});

test.each([1, 2, 7])('a service over its capacity is hardly slower, seed %i', (seed) => {
  expect(brownOut(make('ebb'), seed).p99).toBeLessThan(1.12 * brownOut(make('none'), seed).p99);
});
