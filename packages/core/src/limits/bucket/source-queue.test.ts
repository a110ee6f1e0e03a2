import { expect, test } from 'vitest';
import type { Grant } from '../../policy/contracts.ts';
import { NUMBERS } from '../../queue/queue.ts';
import type { SteadyTime } from '../../queue/time.ts';
import type { WaitQueue } from '../../queue/wait-queue.ts';
import { SourceQueue } from './source-queue.ts';

interface One {
  readonly name: string;
  readonly cost: number;
}

const one = (name: string, cost: number): One => ({ name, cost });

/** The requests of a queue, and the first of each paused origin with the wait for tokens of its own level. */
function setUp(
  queued: readonly One[],
  apart: readonly (readonly [passMs: number, first: One])[],
  next?: One,
) {
  const queue = {
    size: queued.length,
    first: queued[0],
    cost: queued.reduce((sum, { cost }) => sum + cost, 0),
    shares: false,
    [Symbol.iterator]: () => queued[Symbol.iterator](),
  };
  const gates = apart.map(([ms, first]) => {
    const passMs = (cost: number, nowMs: number): number =>
      cost === first.cost && nowMs === 7 ? ms : Number.NaN;
    return [{ passMs }, first];
  });
  const waiters = {
    queue,
    size: queued.length + apart.length,
    apart: apart.length,
    waitingApart: () => gates,
    next: () => next ?? queued[0],
  };
  const time = { now: () => 7 } as SteadyTime;
  return { seen: new SourceQueue(waiters as unknown as WaitQueue<Grant>, time, NUMBERS), queue };
}

const [a, b, c, d] = [one('a', 1), one('b', 2), one('c', 4), one('d', 8)];

test('without paused origins a source sees the queue', () => {
  const { seen, queue } = setUp([a, b], []);
  expect(seen.size).toBe(2);
  expect(seen.queue).toBe(queue);
});

test.each([
  ['after the queue, if the queue goes first', a, ['a', 'b', 'c']],
  ['before the queue, if it is the next of all', c, ['c', 'a', 'b']],
])('once its own level has them it is seen %s', (_, next, names) => {
  const { seen } = setUp(
    [a, b],
    [
      [0, c],
      [50, d],
    ],
    next,
  );
  expect(seen.size).toBe(3);
  expect(seen.queue.first).toBe(next);
  expect(seen.queue.cost).toBe(7);
  expect([...seen.queue].map((request) => (request as unknown as One).name)).toEqual(names);
});
