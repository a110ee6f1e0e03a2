import { describe, expect, test } from 'vitest';
import { slotsUnder, smallTenantWaits, urgentWaits, useOf } from './queue-cases.ts';

describe('slots', () => {
  test('without a limit the requests in flight are rate times response time', () => {
    expect(slotsUnder(undefined)).toMatchObject({ sent: 2_500, refused: 0 });
    expect(slotsUnder(undefined).inFlight.find(([second]) => second === 12)).toEqual([12, 300]);
  });

  test('a limit is never exceeded, and every request is sent or refused', () => {
    const { most, sent, refused } = slotsUnder(30);
    expect(most).toBe(30);
    expect(sent + refused).toBe(2_500);
  });
});

test('a small tenant waits for a large one only if they share a bucket', () => {
  const [shared, own] = [smallTenantWaits(false), smallTenantWaits(true)];
  expect(shared).toHaveLength(75);
  expect(own.map(([second]) => second)).toEqual(shared.map(([second]) => second));
  expect(own.every(([, wait]) => wait === 0)).toBe(true);
  // Before the large tenant's burst there is no wait in either.
  expect(shared.filter(([second]) => second < 2).every(([, wait]) => wait === 0)).toBe(true);
});

test('only one bucket for all processes uses the whole quota and is never refused', () => {
  const [own, parts, one] = [useOf('each its own'), useOf('fixed parts'), useOf('one bucket')];
  expect(one.refusedByServer).toBe(0);
  expect(one.served).toBeGreaterThanOrEqual(100);
  expect(parts.refusedByServer).toBe(0);
  // The busy process sends its eighth, the others all that they have.
  expect(parts.served).toBeCloseTo(12.5 + 7 * 5, 0);
  expect(own.refusedByServer).toBeGreaterThan(30);
});

test('every urgent request is served, in the order in which they came', () => {
  for (const priority of [0, 1]) {
    const waits = urgentWaits(priority);
    expect(waits).toHaveLength(28);
    expect(waits.map(([second]) => second)).toEqual(
      waits.map(([second]) => second).toSorted((a, b) => a - b),
    );
  }
  // At most the time in which the two tokens of the request before come in, and one of its own.
  expect(Math.max(...urgentWaits(1).map(([, wait]) => wait))).toBeLessThanOrEqual(0.15);
});
