import { expect, test } from 'vitest';
import { chain } from './world.ts';

test('the last of three services is asked 64 times for a request, and with deadlines four times', () => {
  expect(chain(0, false, 1, 20)).toEqual({ sends: 64, answered: 0 });
  expect(chain(0, true, 1, 20)).toEqual({ sends: 4, answered: 0 });
});

test.each([1.2, 0.5, 0.1])('a capacity of %s: a chain with deadlines sends at most four', (capacity) => {
  const [without, shared] = [false, true].map((isShared) => chain(capacity, isShared, 1, 200));
  expect(shared?.sends).toBeLessThanOrEqual(4);
  expect(without?.sends).toBeGreaterThanOrEqual(capacity < 1 ? 10 : 1);
  expect(shared?.answered).toBeGreaterThan(capacity < 1 ? capacity / 2 : 0.99);
});
