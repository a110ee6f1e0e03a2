import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { BusyFleet, StoreWorld } from '../test/busy-fleet.ts';
import type { ModelState } from '../test/model.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';

const LIMITS = {
  requests: { refillPerSecond: 10, capacity: 10 },
  tokens: { refillPerSecond: 1_000, capacity: 2_000 },
};

class World extends StoreWorld {
  units(options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket {
    return this.bucket({ refillPerSecond: undefined, capacity: undefined, limits: LIMITS, ...options });
  }

  get state(): ModelState | undefined {
    const text = this.store.keys.get('ebb:{k}');
    return text === undefined ? undefined : (JSON.parse(text) as ModelState);
  }
}

describe('setLimits', () => {
  test('sets rate and capacity in the store, and this process uses them', async () => {
    const world = new World();
    const bucket = world.bucket();
    await world.run(bucket.acquire());
    await world.run(bucket.setLimits({ refillPerSecond: 100, capacity: 300 }));
    expect(bucket.stats()).toMatchObject({ refillPerSecond: 100, capacity: 300, mode: 'shared' });
    // More than the capacity that was declared.
    await world.run(bucket.acquire({ cost: 250 }), 5_000);
    await world.run(bucket.setLimits({ refillPerSecond: 50 }));
    expect(bucket.stats()).toMatchObject({ refillPerSecond: 50, capacity: 300 });
    expect(world.state).toMatchObject({ version: 3, units: [{ refillPerSecond: 50_000, capacity: 300e6 }] });
    await world.run(bucket.close());
  });

  test('of a bucket that is not in the store yet', async () => {
    const world = new World();
    const [one, other] = [world.bucket(), world.bucket()];
    await world.run(one.setLimits({ refillPerSecond: 5, capacity: 7 }));
    await world.run(other.acquire());
    expect(other.stats()).toMatchObject({ refillPerSecond: 5, capacity: 7 });
    await world.run(Promise.all([one.close(), other.close()]));
  });

  test('of a bucket that has expired: it holds against what other processes know of before', async () => {
    const world = new World();
    const [one, other] = [world.bucket(), world.bucket()];
    await world.run(other.acquire());
    for (const refillPerSecond of [11, 12, 13]) await world.run(one.setLimits({ refillPerSecond }));
    await world.run(other.acquire());
    expect(world.state?.version).toBe(4);
    world.store.keys.clear();
    await world.run(one.setLimits({ refillPerSecond: 5, capacity: 7 }));
    await world.run(other.acquire());
    for (const bucket of [one, other])
      expect(bucket.stats()).toMatchObject({ refillPerSecond: 5, capacity: 7 });
    const fresh = world.bucket({ key: 'fresh' });
    await world.run(fresh.setLimits({ refillPerSecond: 3 }));
    // Limits of version 1 are those that were declared, and are not kept.
    expect(JSON.parse(world.store.keys.get('ebb:{fresh}') ?? '')).toMatchObject({ version: 2 });
    await world.run(Promise.all([one, other, fresh].map((bucket) => bucket.close())));
  });

  test('units that are not named stay', async () => {
    const world = new World();
    const bucket = world.units();
    await world.run(bucket.acquire({ cost: { tokens: 1 } }));
    await world.run(bucket.setLimits({ tokens: { refillPerSecond: 500 } }));
    const { units } = bucket.stats();
    expect(units?.requests).toMatchObject(LIMITS.requests);
    expect(units?.tokens).toMatchObject({ refillPerSecond: 500, capacity: 2_000 });
    await world.run(bucket.close());
  });

  test.each([1, 16])('reaches %i busy processes within a second, and what they spend', async (size) => {
    const world = new World();
    const fleet = new BusyFleet(world, size, { random: seededRandom(size) });
    await world.clock.advance(3_000);
    const atMs = world.clock.now();
    const set = (fleet.buckets[0] as ValkeyBucket).setLimits({ refillPerSecond: 100, capacity: 20 });
    await world.clock.advance(1_000);
    await set;
    expect(fleet.buckets.map((bucket) => bucket.stats().refillPerSecond)).toEqual(new Array(size).fill(100));
    await world.clock.advance(4_000);
    // What was leased before is spent within the first second.
    expect(fleet.count(atMs + 1_000, atMs + 5_000)).toBeLessThanOrEqual(400 + 20);
    expect(fleet.count(atMs + 1_000, atMs + 5_000)).toBeGreaterThan(380);
    await fleet.end();
  });

  test('reaches processes whose requests wait for a slow bucket within five seconds', async () => {
    const world = new World();
    const fleet = new BusyFleet(world, 8, { random: seededRandom(8), refillPerSecond: 1, capacity: 1 });
    await world.clock.advance(20_000);
    const set = (fleet.buckets[0] as ValkeyBucket).setLimits({ refillPerSecond: 2 });
    await world.clock.advance(5_000);
    await set;
    expect(fleet.buckets.map((bucket) => bucket.stats().refillPerSecond)).toEqual(new Array(8).fill(2));
    await fleet.end();
  });

  test('reaches a quiet process before it sends', async () => {
    const world = new World();
    const [one, quiet] = [world.bucket(), world.bucket()];
    await world.run(quiet.acquire(), 15_000);
    await world.run(one.setLimits({ refillPerSecond: 10, capacity: 5 }));
    const asked = Array.from({ length: 20 }, () => quiet.acquire().then(() => world.clock.now()));
    const startMs = world.clock.now();
    await world.clock.advance(5_000);
    const times = (await Promise.all(asked)).map((atMs) => atMs - startMs);
    for (const [place, ms] of times.entries())
      expect(ms + 1).toBeGreaterThanOrEqual(((place + 1 - 5) / 10) * 1_000);
    await world.run(Promise.all([one.close(), quiet.close()]));
  });

  test('what was set survives restarts with the old options and a loss of the store; a process that declares others ends it', async () => {
    const world = new World();
    const first = world.bucket();
    await world.run(first.acquire());
    await world.run(first.setLimits({ refillPerSecond: 100, capacity: 20 }));
    world.store.keys.clear();
    await world.run(first.acquire());
    const again = world.bucket();
    await world.run(again.acquire());
    expect(again.stats()).toMatchObject({ refillPerSecond: 100, capacity: 20 });
    const other = world.bucket({ refillPerSecond: 70, capacity: 30 });
    await world.run(other.acquire());
    await world.run(first.acquire());
    for (const bucket of [first, other])
      expect(bucket.stats()).toMatchObject({ refillPerSecond: 70, capacity: 30 });
    await world.run(Promise.all([first, again, other].map((bucket) => bucket.close())));
  });

  test('processes that set the same at once do not disturb each other; of different limits one is refused', async () => {
    const world = new World();
    const buckets = Array.from({ length: 4 }, () => world.bucket());
    await world.run(Promise.all(buckets.map((bucket) => bucket.acquire())));
    await world.run(
      Promise.all(buckets.map((bucket) => bucket.setLimits({ refillPerSecond: 9, capacity: 9 }))),
    );
    expect(world.state?.version).toBe(2);
    const sets = [10, 20].map((rate, at) =>
      (buckets[at] as ValkeyBucket).setLimits({ refillPerSecond: rate }).then(
        () => 'set',
        (error: Error) => error.message,
      ),
    );
    await world.clock.advance(1_000);
    const ends = await Promise.all(sets);
    expect(ends.sort()).toEqual(['set', 'setLimits: another process has changed the limits meanwhile']);
    await world.run(Promise.all(buckets.map((bucket) => bucket.close())));
  });

  test('rejects with what is wrong', async () => {
    const world = new World();
    const [one, several] = [world.bucket(), world.units({ key: 'units' })];
    const wrong: [set: () => Promise<void>, message: RegExp][] = [
      [
        () => one.setLimits({ refillPerSecond: 0 }),
        /setLimits: refillPerSecond must be a number from 1e-9 to 1e9, got 0/,
      ],
      [() => one.setLimits({ refillPerSecond: 1, capacity: -1 }), /setLimits: capacity must be/],
      [() => one.setLimits({ rate: 1 } as never), /setLimits has no option "rate"/],
      [() => several.setLimits({}), /setLimits: limits must be an object with a limit for at least one unit/],
      [
        () => several.setLimits({ out: { refillPerSecond: 1 } }),
        /setLimits has no option "out"; it takes requests, tokens/,
      ],
      [
        () => several.setLimits({ tokens: { refillPerSecond: -1 } }),
        /setLimits: tokens.refillPerSecond must be/,
      ],
      [
        () => several.setLimits({ tokens: { refillPerSecond: 1e-6 } }),
        /setLimits: tokens.refillPerSecond must be at least 0.00002/,
      ],
      [() => several.setLimits(undefined as never), /setLimits/],
    ];
    for (const [set, message] of wrong) await expect(world.run(set(), 10)).rejects.toThrow(message);
    expect(world.state?.version ?? 1).toBe(1);
    world.store.health = 'refusing';
    await expect(world.run(one.setLimits({ refillPerSecond: 1 }), 15_000)).rejects.toThrow('ECONNREFUSED');
    world.store.health = 'up';
    await world.run(Promise.all([one.close(), several.close()]));
    await expect(one.setLimits({ refillPerSecond: 1 })).rejects.toThrow('setLimits: the bucket was closed');
  });

  test('a store that falls silent ends it within the time limits', async () => {
    const world = new World();
    const bucket = world.bucket();
    await world.run(bucket.acquire());
    world.store.health = 'silent';
    await expect(world.run(bucket.setLimits({ refillPerSecond: 1 }), 600)).rejects.toThrow(
      'The store did not reply within',
    );
    world.store.health = 'up';
    await world.run(bucket.close());
  });
});
