import { describe, expect, test } from 'vitest';
import { fifo } from './fifo.ts';
import { type PriorityQueueOptions, priorityQueue } from './order.ts';
import { inUnit, Line, NUMBERS, type PlaceOptions, type Queued } from './queue.ts';

interface Waiter extends Queued<Waiter> {}

const waiter = (cost: number, lane: unknown = 0, sinceMs = 0): Waiter => {
  return { cost, sinceMs, lane, next: undefined, previous: undefined };
};

test('an amount in one unit', () => {
  expect([inUnit(5, 1), inUnit([3, 4], 0), inUnit([3, 4], 1)]).toEqual([5, 3, 4]);
});

test('amounts of one unit are numbers', () => {
  expect([NUMBERS.plus(1, 2), NUMBERS.plus(1, 2, -1), NUMBERS.plus(1, 2, 0.5)]).toEqual([3, -1, 2]);
  expect([NUMBERS.exceeds(2, 1), NUMBERS.exceeds(1, 1), NUMBERS.exceeds(1, 2)]).toEqual([true, false, false]);
  expect(NUMBERS.weigh(3)).toBe(3);
});

test('a line that is empty costs nothing, whatever rounding left', () => {
  const line = new Line<Waiter>(NUMBERS);
  const all = [waiter(0.1), waiter(0.2)];
  for (const one of all) line.add(one);
  for (const one of all) line.remove(one);
  expect([line.cost, line.first, line.last]).toEqual([0, undefined, undefined]);
});

test('the cost ahead of a retry counts new requests that have waited long, if it must be exact', () => {
  const queue = fifo.make<Waiter>(NUMBERS);
  queue.add(waiter(5, queue.laneOf({}), 0));
  queue.add(waiter(3, queue.laneOf({ retry: true }), 100));
  const ahead = (nowMs: number, isExact: boolean) =>
    queue.costAhead(queue.laneOf({ retry: true }), nowMs, isExact);
  expect([ahead(30_000, true), ahead(30_001, true), ahead(30_001, false)]).toEqual([3, 8, 3]);
});

describe('which request leaves a full queue', () => {
  type Waiting = readonly (readonly [cost: number, priority: number, sinceMs: number])[];
  const mixed: Waiting = [
    [1, 0, 5],
    [2, 0, 6],
    [3, 1, 2],
    [4, -1, 9],
  ];
  const together: Waiting = [
    [1, 0, 5],
    [2, 1, 5],
  ];
  const alike: Waiting = [
    [1, 0, 5],
    [2, 0, 6],
  ];

  test.each<
    [overflow: PriorityQueueOptions['overflow'], waiting: Waiting, priority: number, cost: number | undefined]
  >([
    ['reject', mixed, 7, undefined],
    ['drop-oldest', mixed, -7, 3],
    ['drop-oldest', together, 0, 1],
    ['drop-oldest', [], 0, undefined],
    ['drop-lowest', mixed, 0, 4],
    ['drop-lowest', mixed, -1, undefined],
    ['drop-lowest', alike, 1, 2],
    ['drop-lowest', [], 0, undefined],
  ])('%s: %j, by one of priority %d', (overflow, waiting, priority, cost) => {
    const queue = priorityQueue({ overflow }).make<Waiter>(NUMBERS);
    for (const [cost, priority, sinceMs] of waiting)
      queue.add(waiter(cost, queue.laneOf({ priority }), sinceMs));
    expect(queue.displacedBy?.(queue.laneOf({ priority }))?.cost).toBe(cost);
  });

  test('none by default', () => {
    const queue = priorityQueue().make<Waiter>(NUMBERS);
    queue.add(waiter(5, queue.laneOf({ priority: -1 })));
    expect(queue.displacedBy?.(queue.laneOf({ priority: 1 }))).toBeUndefined();
  });
});

test('a step of priority is a head start of `agingMs`, and a retry has half of it', () => {
  const queue = priorityQueue({ agingMs: 100 }).make<Waiter>(NUMBERS);
  queue.add(waiter(5, queue.laneOf({}), 0));
  const goesFirst = (place: PlaceOptions, nowMs: number) => queue.goesFirst(queue.laneOf(place), nowMs);
  expect([goesFirst({ priority: 1 }, 100), goesFirst({ priority: 1 }, 101)]).toEqual([true, false]);
  expect([goesFirst({ retry: true }, 50), goesFirst({ retry: true }, 51)]).toEqual([true, false]);
  expect(goesFirst({}, 0)).toBe(false);
});

test('a priority that there is not is an error', () => {
  const queue = priorityQueue().make<Waiter>(NUMBERS);
  expect(() => queue.laneOf({ priority: 8 })).toThrow('priority must be a whole number from -7 to 7, got 8');
});
