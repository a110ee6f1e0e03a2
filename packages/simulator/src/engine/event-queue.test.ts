import { seededRandom } from '@ebb/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventQueue } from './event-queue.ts';

/** Removes all events, and returns them with their times. */
function drain(queue: EventQueue): (readonly [atMs: number, event: number])[] {
  const events: (readonly [number, number])[] = [];
  for (let left = queue.size; left > 0; left -= 1) {
    const { nextAtMs } = queue;
    queue.pop();
    events.push([nextAtMs, queue.event]);
  }
  expect(queue.size).toBe(0);
  return events;
}

describe('EventQueue', () => {
  test('events of the same time come in the order in which they were added', () => {
    const queue = new EventQueue();
    for (let event = 0; event < 1_000; event += 1) queue.push(event % 3, event);
    const events = drain(queue).map(([, event]) => event);
    const expected = [0, 1, 2].flatMap((atMs) =>
      Array.from({ length: 1_000 }, (_, n) => n).filter((n) => n % 3 === atMs),
    );
    expect(events).toEqual(expected);
  });

  test('an event carries two numbers', () => {
    const queue = new EventQueue();
    queue.push(5, -7, 2 ** 31 - 1);
    queue.pop();
    expect([queue.event, queue.stamp]).toEqual([-7, 2 ** 31 - 1]);
    expect(queue.nextAtMs).toBe(Number.POSITIVE_INFINITY);
  });

  test('an event years ahead is found at once, and events added before it come first', () => {
    const queue = new EventQueue(0.001);
    queue.push(1e9, 0);
    expect(queue.nextAtMs).toBe(1e9);
    queue.push(3, 1);
    queue.push(1e9 - 1, 2);
    expect(drain(queue).map(([, event]) => event)).toEqual([1, 2, 0]);
  });

  test.each([0.1, 1, 1_000])('sorts 50,000 events, with days of %d ms', (dayMs) => {
    const random = seededRandom(1);
    const queue = new EventQueue(dayMs);
    const times = Float64Array.from({ length: 50_000 }, () => random() ** 3 * 100_000);
    for (const [event, atMs] of times.entries()) queue.push(atMs, event);
    expect(drain(queue).map(([atMs]) => atMs)).toEqual([...times.sort()]);
  });

  test('agrees with a sorted list for any sequence of pushes and pops', () => {
    const step = fc.oneof(
      fc.record({ aheadMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e5, noNaN: true })) }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), fc.constantFrom(0.001, 0.1, 1, 7), (steps, dayMs) => {
        const queue = new EventQueue(dayMs);
        const list: { atMs: number; event: number }[] = [];
        let nowMs = 0;
        for (const [event, what] of steps.entries()) {
          if (what !== 'take') {
            const atMs = nowMs + what.aheadMs;
            queue.push(atMs, event);
            const after = list.findIndex((other) => other.atMs > atMs);
            list.splice(after < 0 ? list.length : after, 0, { atMs, event });
          } else {
            const first = list.shift();
            expect(queue.nextAtMs).toBe(first?.atMs ?? Number.POSITIVE_INFINITY);
            if (first === undefined) continue;
            queue.pop();
            expect(queue.event).toBe(first.event);
            nowMs = first.atMs;
          }
          expect(queue.size).toBe(list.length);
        }
        expect(drain(queue).map(([, event]) => event)).toEqual(list.map(({ event }) => event));
      }),
    );
  });
});
