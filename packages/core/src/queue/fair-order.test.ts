import { describe, expect, test, vi } from 'vitest';
import { type FairQueueOptions, fairQueue } from './fair-queue.ts';
import { type Lane, NUMBERS, type PlaceOptions, type QueueEntry } from './queue.ts';

interface Waiter extends QueueEntry<Waiter> {
  readonly name: string;
}

const WEIGHTS: Readonly<Record<string, number>> = { b: 2, tenth: 0.1, fifth: 0.2, tiny: 2 ** -60 };

function setUp(options: FairQueueOptions = {}) {
  const weightOf = (key: string): number => WEIGHTS[key] ?? 1;
  const queue = fairQueue({ weightOf, ...options }).make<Waiter>(NUMBERS);
  let count = 0;
  const addTo = (lane: Lane, name: string, cost = 10): Waiter => {
    const one = { name, cost, sinceMs: 0, lane, next: undefined, previous: undefined };
    queue.add(one);
    return one;
  };
  /** Adds one that is named by its key, and by how many came before it. */
  const add = (fairKey: string | undefined, more: PlaceOptions = {}, cost?: number): Waiter => {
    count += 1;
    return addTo(queue.laneOf({ fairKey, ...more }), `${fairKey}${count}`, cost);
  };
  const addMany = (times: number, fairKey: string, more?: PlaceOptions, cost?: number): void => {
    for (let time = 0; time < times; time += 1) add(fairKey, more, cost);
  };
  const serve = (): string | undefined => {
    const { first } = queue;
    if (first !== undefined) queue.remove(first, true);
    return first?.name;
  };
  const ahead = (place: PlaceOptions, isExact = true) => queue.costAhead(queue.laneOf(place), 0, isExact);
  return { queue, add, addTo, addMany, serve, ahead };
}

describe('the weights of the keys that wait', () => {
  test('are those of the priority that goes first', () => {
    const { queue, add } = setUp();
    const seen: (number | undefined)[] = [queue.shares];
    const all = [];
    for (const key of ['a', 'a', 'b']) {
      all.push(add(key));
      seen.push(queue.shares);
    }
    const high = add('a', { priority: 1 });
    seen.push(queue.shares);
    for (const one of [high, ...all]) {
      queue.remove(one, false);
      seen.push(queue.shares);
    }
    expect(seen).toEqual([0, 1, 1, 3, 1, 3, 3, 2, 0]);
  });

  test('leave no rounding error', () => {
    const { queue, add } = setUp();
    for (const one of [add('tenth'), add('fifth')]) queue.remove(one, false);
    add('tiny');
    expect(queue.shares).toBe(2 ** -60);
  });
});

describe('the cost ahead of a new request', () => {
  test('of keys that begin together: of the others, as much as it has itself, by weight', () => {
    const { addMany, ahead } = setUp();
    addMany(3, 'a');
    addMany(8, 'b');
    expect(['c', 'a', 'b'].map((fairKey) => ahead({ fairKey }))).toEqual([
      0,
      // Its own 30, and 60 that b has meanwhile.
      90,
      // Its own 80, and all that a has: 30.
      110,
    ]);
    const other = setUp();
    other.addMany(8, 'a');
    other.addMany(4, 'b');
    // Its own 40 take 20 of virtual time, as 20 of a do.
    expect(other.ahead({ fairKey: 'b' })).toBe(60);
  });

  test('of keys of which some were served', () => {
    const { addMany, serve, ahead } = setUp();
    addMany(9, 'a');
    addMany(9, 'b');
    expect([serve(), serve()]).toEqual(['a1', 'b10']);
    // Now is 7.5; a begins at 10, and b at 5.
    expect(ahead({ fairKey: 'c' })).toBe(5);
    expect(ahead({ fairKey: 'a' })).toBe(160);
    expect(ahead({ fairKey: 'a', retry: true })).toBe(10);
    expect(ahead({ fairKey: 'c', priority: -1 })).toBe(160);
    expect(ahead({ fairKey: 'c', priority: 1 })).toBe(0);
  });

  test('is that of its key alone if it need not be exact', () => {
    const { addMany, ahead } = setUp();
    addMany(3, 'a');
    addMany(3, 'b', { retry: true });
    addMany(3, 'b');
    const places: PlaceOptions[] = [{ fairKey: 'a' }, { fairKey: 'b' }, { fairKey: 'b', retry: true }];
    expect(places.map((place) => ahead(place, false))).toEqual([30, 60, 30]);
  });

  test('looks at a thousand keys at most', () => {
    const { add, addMany, ahead } = setUp();
    addMany(1, 'k0', {}, 5);
    for (let key = 1; key < 1_100; key += 1) add(`k${key}`, {}, 1);
    expect(ahead({ fairKey: 'k0' })).toBe(5 + 999);
  });
});

test('no new request goes first while others wait', () => {
  const { queue, add } = setUp();
  const goesFirst = () => queue.goesFirst(queue.laneOf({ fairKey: 'b', priority: 7, retry: true }), 0);
  expect(goesFirst()).toBe(true);
  const one = add('a');
  expect(goesFirst()).toBe(false);
  queue.remove(one, true);
  expect(goesFirst()).toBe(true);
});

test('a key that was forgotten after a request had asked for its place begins anew', () => {
  const { queue, add, addTo, serve } = setUp();
  add('a');
  const other = add('b');
  expect(serve()).toBe('a1');
  const lane = queue.laneOf({ fairKey: 'a' });
  queue.remove(other, false);
  addTo(lane, 'again');
  add('c');
  expect([serve(), serve()]).toEqual(['again', 'c3']);
});

test('the longest of many keys leaves a full queue, without a look at each', () => {
  const { queue, addMany } = setUp();
  for (let at = 0; at < 1_000; at += 1) addMany(at === 700 ? 3 : 1, `key ${at}`);
  const looks = vi.spyOn(Map.prototype, 'values');
  expect(queue.evictedBy?.(queue.laneOf({ fairKey: 'key 1' }))?.lane).toMatchObject({
    key: { name: 'key 700' },
  });
  expect(looks).not.toHaveBeenCalled();
  looks.mockRestore();
});

test('none leaves a full queue that rejects the new one', () => {
  const { queue, addMany } = setUp({ overflow: 'reject' });
  addMany(9, 'a');
  expect(queue.evictedBy?.(queue.laneOf({ fairKey: 'c' }))).toBeUndefined();
});

test('none leaves a full queue for one of a key that would be as long as the longest', () => {
  const { queue, addMany } = setUp();
  addMany(2, 'a');
  addMany(1, 'c');
  expect(queue.evictedBy?.(queue.laneOf({ fairKey: 'c' }))).toBeUndefined();
});
