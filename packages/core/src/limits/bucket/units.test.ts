import { describe, expect, test } from 'vitest';
import type { Costs } from '../../policy/contracts.ts';
import type { Amount } from '../../queue/queue.ts';
import { NamedUnits, ONE_UNIT } from './units.ts';

/** Ten requests at once and 5 per second; 100 tokens at once and 10 per second. */
const MOST = [10, 100];
const two = new NamedUnits(['requests', 'tokens'], [{ refillPerSecond: 5 }, { refillPerSecond: 10 }]);

/** The amount, or the error without the name of the function. */
function outcomeOf(read: () => Amount): Amount | string {
  try {
    return read();
  } catch (error) {
    return String(error).replace('f: ', '');
  }
}

const AT_MOST = 'must be a number > 0 and ≤ the capacity, 10';
const PARTS = 'must be a number, or an object with a number for each unit';

test.each<[cost: unknown, outcome: Amount | string]>([
  [1e-9, 1e-9],
  [10, 10],
  [0, `RangeError: cost ${AT_MOST}, got 0`],
  [-1, `RangeError: cost ${AT_MOST}, got -1`],
  [10.1, `RangeError: cost ${AT_MOST}, got 10.1`],
  [Number.NaN, `RangeError: cost ${AT_MOST}, got NaN`],
  ['5', `TypeError: cost ${AT_MOST}, got "5"`],
  [{ tokens: 1 }, `TypeError: cost ${AT_MOST}, got an object`],
])('a cost of one unit: %j', (cost, outcome) => {
  expect(outcomeOf(() => ONE_UNIT.amountOf('f', cost as number, 10))).toEqual(outcome);
});

test('a number of one unit that a server says', () => {
  expect(ONE_UNIT.read('f', 0, 3)).toBe(0);
  expect(() => ONE_UNIT.read('f', Infinity, 3)).toThrow('f must be a finite number ≥ 0, got Infinity');
});

describe('several units', () => {
  test.each<[cost: number | Costs, outcome: Amount | string]>([
    [3, [3, 3]],
    [{ tokens: 4 }, [0, 4]],
    [{ requests: 10, tokens: 100 }, [10, 100]],
    [{ tokens: 101 }, 'RangeError: cost.tokens must be at most the capacity, 100, got 101'],
    [{ requests: 0 }, 'RangeError: cost must be above 0 in a unit, got an object'],
    [{}, 'RangeError: cost must be above 0 in a unit, got an object'],
    [{ tokens: '5' as never }, 'TypeError: cost.tokens must be a finite number ≥ 0, got "5"'],
    ['5' as never, `TypeError: cost ${PARTS}, got "5"`],
    [[5] as never, `TypeError: cost ${PARTS}, got an array`],
    [{ constructor: 1 } as never, 'TypeError: cost has no option "constructor"; it takes requests, tokens'],
  ])('a cost: %j', (cost, outcome) => {
    expect(outcomeOf(() => two.amountOf('f', cost, MOST))).toEqual(outcome);
  });

  test.each<[said: number | Costs, outcome: Amount | string]>([
    [2, [2, 2]],
    [{ tokens: 0 }, [8, 0]],
    [{ requests: Number.MAX_VALUE }, [Number.MAX_VALUE, 9]],
    [{ requests: -1 }, 'RangeError: requests must be a finite number ≥ 0, got -1'],
    [-1, 'RangeError: f must be a finite number ≥ 0, got -1'],
  ])('numbers that a server says: %j; what it does not name stays', (said, outcome) => {
    expect(outcomeOf(() => two.read('f', said, [8, 9]))).toEqual(outcome);
  });

  test('amounts are added, exceed each other in any unit, and weigh as much as their slowest unit', () => {
    expect(two.plus([1, 2], [3, 4], 2)).toEqual([7, 10]);
    expect([two.exceeds([1, 5], [2, 4]), two.exceeds([2, 4], [2, 4])]).toEqual([true, false]);
    expect([two.weigh([10, 10]), two.weigh([1, 100])]).toEqual([2, 10]);
    expect(two.costsOf([1, 2])).toEqual({ requests: 1, tokens: 2 });
  });
});
