import { describe, expect, test } from 'vitest';
import { type PriorityQueueOptions, priorityQueue } from './order.ts';
import { NUMBERS, type PlaceOptions, type QueueEntry } from './queue.ts';

interface Waiter extends QueueEntry<Waiter> {
  readonly name: string;
}

/** A request by its name, the priority of it, since when it waits, and its cost. */
type Asked = readonly [name: string, place: PlaceOptions, sinceMs: number, cost?: number];

const LOW: PlaceOptions = { priority: -1 };
const PLAIN: PlaceOptions = {};
const RETRY: PlaceOptions = { retry: true };
const HIGH: PlaceOptions = { priority: 1 };

function queueOf(asked: readonly Asked[], options?: PriorityQueueOptions) {
  const queue = priorityQueue(options).make<Waiter>(NUMBERS);
  for (const [name, place, sinceMs, cost = 1] of asked)
    queue.add({ name, cost, sinceMs, lane: queue.laneOf(place), next: undefined, previous: undefined });
  return queue;
}

const MINUTE = 60_000;

// All else of the order is a property: queue-order.property.test.ts.
test.each([
  [MINUTE, 'high'],
  [MINUTE + 1, 'plain'],
])(
  'by default a step is a minute: after one that waits since 0, at %d ms, comes %s first',
  (sinceMs, first) => {
    const queue = queueOf([
      ['plain', PLAIN, 0],
      ['high', HIGH, sinceMs],
    ]);
    expect(queue.first?.name).toBe(first);
  },
);

test.each<[place: PlaceOptions, sinceMs: number, goesFirst: boolean]>([
  [LOW, 0, false],
  [PLAIN, 1_000, false],
  [PLAIN, 999, true],
  [RETRY, 1_000 + MINUTE / 2, true],
  [RETRY, 1_001 + MINUTE / 2, false],
  [LOW, 1_000 - MINUTE - 1, true],
])(
  'a request with %j that waits elsewhere since %d ms goes before one since 1000 ms: %s',
  (place, sinceMs, goesFirst) => {
    const queue = queueOf([['plain', PLAIN, 1_000]]);
    expect(queue.goesFirst(queue.laneOf(place), sinceMs)).toBe(goesFirst);
  },
);

describe('the cost ahead of a new request', () => {
  const asked: Asked[] = [
    ['a', PLAIN, 0, 5],
    ['b', PLAIN, 100, 2],
    ['high', HIGH, 0, 3],
    ['low', LOW, 0, 7],
  ];

  test.each<[place: PlaceOptions, nowMs: number, isExact: boolean, cost: number]>([
    [LOW, 100, false, 17],
    // One of the next lower priority has waited for a step by then, and the other has not.
    [HIGH, MINUTE + 50, true, 8],
    [HIGH, MINUTE + 50, false, 3],
  ])('with %j, at %d ms, exact: %s, is %d', (place, nowMs, isExact, cost) => {
    const queue = queueOf(asked);
    expect(queue.costAhead(queue.laneOf(place), nowMs, isExact)).toBe(cost);
  });
});
