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

test.each<[story: string, asked: Asked[], order: string]>([
  [
    'the highest priority goes first',
    [
      ['low', LOW, 0],
      ['plain', PLAIN, 1],
      ['high', HIGH, 2],
    ],
    'high plain low',
  ],
  [
    'then first come, first served',
    [
      ['a', PLAIN, 0],
      ['b', PLAIN, 0],
      ['c', PLAIN, 1],
    ],
    'a b c',
  ],
  [
    'a retry before a new request',
    [
      ['new', PLAIN, 0],
      ['retry', RETRY, MINUTE / 2],
    ],
    'retry new',
  ],
  [
    'unless that has waited longer by half a step',
    [
      ['new', PLAIN, 0],
      ['retry', RETRY, MINUTE / 2 + 1],
    ],
    'new retry',
  ],
  [
    'a step is a minute',
    [
      ['plain', PLAIN, 0],
      ['high', HIGH, MINUTE],
    ],
    'high plain',
  ],
  [
    'and no more',
    [
      ['plain', PLAIN, 0],
      ['high', HIGH, MINUTE + 1],
    ],
    'plain high',
  ],
  [
    'two steps are two',
    [
      ['low', LOW, 0],
      ['plain', PLAIN, MINUTE + 1],
      ['high', HIGH, 2 * MINUTE],
    ],
    'high low plain',
  ],
])('%s', (_, asked, order) => {
  const queue = queueOf(asked);
  const names: string[] = [];
  for (let { first } = queue; first !== undefined; first = queue.first) {
    names.push(first.name);
    queue.remove(first, true);
  }
  expect(names.join(' ')).toBe(order);
  expect(queue.cost).toBe(0);
});

test('all are iterated over, beginning with the lane of the first', () => {
  const queue = queueOf([
    ['low', LOW, 0],
    ['high', HIGH, 0],
    ['plain', PLAIN, 0],
    ['higher', HIGH, 1],
  ]);
  expect([...queue].map(({ name }) => name)).toEqual(['high', 'higher', 'low', 'plain']);
  expect(queue.cost).toBe(4);
  expect([...queueOf([])]).toEqual([]);
});

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

test('any goes first in an empty queue', () => {
  const queue = queueOf([]);
  expect(queue.goesFirst(queue.laneOf(LOW), 0)).toBe(true);
});

describe('the cost ahead of a new request', () => {
  const asked: Asked[] = [
    ['a', PLAIN, 0, 5],
    ['b', PLAIN, 100, 2],
    ['high', HIGH, 0, 3],
    ['low', LOW, 0, 7],
  ];

  test.each<[place: PlaceOptions, nowMs: number, isExact: boolean, cost: number]>([
    [HIGH, 100, true, 3],
    [PLAIN, 100, true, 10],
    [LOW, 100, true, 17],
    [LOW, 100, false, 17],
    // One of the next lower priority has waited for a step by then, and the other has not.
    [HIGH, MINUTE + 50, true, 8],
    [HIGH, MINUTE + 50, false, 3],
    [HIGH, MINUTE + 101, true, 10],
    [HIGH, 2 * MINUTE + 1, true, 17],
  ])('with %j, at %d ms, exact: %s, is %d', (place, nowMs, isExact, cost) => {
    const queue = queueOf(asked);
    expect(queue.costAhead(queue.laneOf(place), nowMs, isExact)).toBe(cost);
  });
});

describe('one leaves a full queue', () => {
  const asked: Asked[] = [
    ['plain', PLAIN, 5],
    ['high', HIGH, 3],
    ['low', LOW, 9],
    ['last', LOW, 10],
  ];

  test.each<
    [
      overflow: PriorityQueueOptions['overflow'],
      place: PlaceOptions,
      asked: Asked[],
      name: string | undefined,
    ]
  >([
    ['drop-oldest', LOW, asked, 'high'],
    [
      'drop-oldest',
      LOW,
      [
        ['one', LOW, 3],
        ['same', HIGH, 3],
      ],
      'one',
    ],
    ['drop-lowest', PLAIN, asked, 'last'],
    ['drop-lowest', LOW, asked, undefined],
    ['drop-lowest', HIGH, [], undefined],
    ['reject', HIGH, asked, undefined],
  ])('%s, for one with %j: %#', (overflow, place, all, name) => {
    const queue = queueOf(all, { overflow });
    expect(queue.evictedBy?.(queue.laneOf(place))?.name).toBe(name);
  });
});
