import { expect, test } from 'vitest';
import { fifo } from './fifo.ts';
import { Line, NUMBERS, type QueueEntry } from './queue.ts';

interface Waiter extends QueueEntry<Waiter> {}

const waiter = (cost: number, lane: unknown = 0, sinceMs = 0): Waiter => {
  return { cost, sinceMs, lane, next: undefined, previous: undefined };
};

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
