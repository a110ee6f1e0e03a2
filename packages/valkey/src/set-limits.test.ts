import { seededRandom } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { BusyFleet, StoreWorld } from '../test/busy-fleet.ts';
import type { ModelState } from '../test/model.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';

const LIMITS = {
  requests: { refillPerSecond: 10, capacity: 10 },
  tokens: { refillPerSecond: 1_000, capacity: 2_000 },
};

let world: StoreWorld;

beforeEach(() => {
  world = new StoreWorld();
});

const units = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ refillPerSecond: undefined, capacity: undefined, limits: LIMITS, ...options });

function stateOf(key = 'k'): ModelState | undefined {
  const text = world.store.keys.get(`ebb:{${key}}`);
  return text === undefined ? undefined : (JSON.parse(text) as ModelState);
}

const closed = (...buckets: readonly ValkeyBucket[]): Promise<unknown> =>
  world.run(Promise.all(buckets.map((bucket) => bucket.close())));

/** Each asks, and then has these limits. */
async function expectLimits(buckets: readonly ValkeyBucket[], refillPerSecond: number, capacity: number) {
  for (const bucket of buckets) {
    await world.run(bucket.acquire());
    expect(bucket.stats()).toMatchObject({ refillPerSecond, capacity, mode: 'shared' });
  }
}

describe('setLimits', () => {
  test('sets rate and capacity in the store, and this process uses them', async () => {
    const bucket = world.bucket();
    await world.run(bucket.acquire());
    await world.run(bucket.setLimits({ refillPerSecond: 100, capacity: 300 }));
    // More than the capacity that was declared.
    await world.run(bucket.acquire({ cost: 250 }), 5_000);
    await world.run(bucket.setLimits({ refillPerSecond: 50 }));
    await expectLimits([bucket], 50, 300);
    expect(stateOf()).toMatchObject({ version: 3, units: [{ refillPerSecond: 50_000, capacity: 300e6 }] });
    await closed(bucket);
  });

  test('of a bucket that is not in the store, or has expired: it holds against what other processes know of before', async () => {
    const [one, other, fresh] = [world.bucket(), world.bucket(), world.bucket({ key: 'fresh' })];
    await world.run(other.acquire());
    for (const refillPerSecond of [11, 12, 13]) await world.run(one.setLimits({ refillPerSecond }));
    await world.run(other.acquire());
    expect(stateOf()?.version).toBe(4);
    world.store.keys.clear();
    await world.run(one.setLimits({ refillPerSecond: 5, capacity: 7 }));
    await expectLimits([one, other], 5, 7);
    await world.run(fresh.setLimits({ refillPerSecond: 3 }));
    // Limits of version 1 are those that were declared, and are not kept.
    expect(stateOf('fresh')?.version).toBe(2);
    await expectLimits([world.bucket({ key: 'fresh' })], 3, 80);
    await closed(one, other, fresh);
  });

  test('units that are not named stay', async () => {
    const bucket = units();
    await world.run(bucket.acquire({ cost: { tokens: 1 } }));
    await world.run(bucket.setLimits({ tokens: { refillPerSecond: 500 } }));
    expect(bucket.stats().units).toMatchObject({
      requests: LIMITS.requests,
      tokens: { refillPerSecond: 500, capacity: 2_000 },
    });
    await closed(bucket);
  });

  test.each([1, 16])('reaches %i busy processes within a second, and what they spend', async (size) => {
    const fleet = new BusyFleet(world, size, { random: seededRandom(size) });
    await world.clock.advance(3_000);
    const atMs = world.clock.now();
    await world.run(
      (fleet.buckets[0] as ValkeyBucket).setLimits({ refillPerSecond: 100, capacity: 20 }),
      1_000,
    );
    expect(fleet.buckets.map((bucket) => bucket.stats().refillPerSecond)).toEqual(new Array(size).fill(100));
    await world.clock.advance(4_000);
    // What was leased before is spent within the first second.
    expect(fleet.count(atMs + 1_000, atMs + 5_000)).toBeLessThanOrEqual(400 + 20);
    expect(fleet.count(atMs + 1_000, atMs + 5_000)).toBeGreaterThan(380);
    await fleet.end();
  });

  test('what was set survives restarts with the old options and a loss of the store; a process that declares others ends it', async () => {
    const first = world.bucket();
    await world.run(first.acquire());
    await world.run(first.setLimits({ refillPerSecond: 100, capacity: 20 }));
    world.store.keys.clear();
    const again = world.bucket();
    await expectLimits([first, again], 100, 20);
    const other = world.bucket({ refillPerSecond: 70, capacity: 30 });
    await expectLimits([other, first], 70, 30);
    await closed(first, again, other);
  });

  test('processes that set the same at once do not disturb each other; of different limits one is refused', async () => {
    const buckets = Array.from({ length: 4 }, () => world.bucket());
    await world.run(Promise.all(buckets.map((bucket) => bucket.acquire())));
    await world.run(
      Promise.all(buckets.map((bucket) => bucket.setLimits({ refillPerSecond: 9, capacity: 9 }))),
    );
    expect(stateOf()?.version).toBe(2);
    const sets = [10, 20].map((rate, at) =>
      (buckets[at] as ValkeyBucket).setLimits({ refillPerSecond: rate }).then(
        () => 'set',
        (error: Error) => error.message,
      ),
    );
    const ends = await world.run(Promise.all(sets));
    expect(ends.sort()).toEqual(['set', 'setLimits: another process has changed the limits meanwhile']);
    await closed(...buckets);
  });

  const least = 'setLimits: tokens.refillPerSecond must be at least 0.00002';
  test.each<[changes: object | undefined, ofUnits: boolean, message: string]>([
    [{ refillPerSecond: 0 }, false, 'setLimits: refillPerSecond must be a number from 1e-9 to 1e9, got 0'],
    [{ refillPerSecond: 1, capacity: -1 }, false, 'setLimits: capacity must be'],
    [{ rate: 1 }, false, 'setLimits has no option "rate"'],
    [{}, true, 'setLimits: limits must be an object with a limit for at least one unit'],
    [{ out: { refillPerSecond: 1 } }, true, 'setLimits has no option "out"; it takes requests, tokens'],
    [{ tokens: { refillPerSecond: -1 } }, true, 'setLimits: tokens.refillPerSecond must be'],
    [{ tokens: { refillPerSecond: 1e-6 } }, true, least],
    [undefined, true, 'setLimits'],
  ])('%j is refused (of several units: %s)', async (changes, ofUnits, message) => {
    const bucket = ofUnits ? units() : world.bucket();
    await expect(world.run(bucket.setLimits(changes as never), 10)).rejects.toThrow(message);
    expect(stateOf()?.version ?? 1).toBe(1);
  });

  test('rejects within the time limits if the store is away, and at once if the bucket was closed', async () => {
    const bucket = world.bucket();
    await world.run(bucket.acquire());
    const set = (withinMs: number) => world.run(bucket.setLimits({ refillPerSecond: 1 }), withinMs);
    world.store.health = 'silent';
    await expect(set(600)).rejects.toThrow('The store did not reply within');
    world.store.health = 'refusing';
    await expect(set(600)).rejects.toThrow('ECONNREFUSED');
    world.store.health = 'up';
    await closed(bucket);
    await expect(set(0)).rejects.toThrow('setLimits: the bucket was closed');
  });
});
