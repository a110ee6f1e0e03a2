import type { RequestTraits } from '@ebb/core';
import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ModelStore } from '../test/model-store.ts';
import {
  type ValkeyBucket,
  type ValkeyBucketOptions,
  type ValkeyBucketPerKey,
  valkeyBucketPerKey,
} from './index.ts';

// A process whose requests come minutes apart: what it asks of the store, and what it may spend without it.

let world: StoreWorld;
let clock: VirtualClock;
let store: ModelStore;

beforeEach(() => {
  world = new StoreWorld();
  ({ clock, store } = world);
});

const limit = { refillPerSecond: 10, capacity: 10 };
const request: RequestTraits = { url: '/', method: 'GET', replayable: true, header: () => undefined };

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ ...limit, random: seededRandom(1), ...options });

const tenants = (): ValkeyBucketPerKey =>
  valkeyBucketPerKey({
    ...{ client: store, key: 'k', ...limit, clock, random: seededRandom(1), keyOf: () => 'a' },
  });

/** Asks each, and lets a second pass; as often as this. */
async function use(fleet: readonly (ValkeyBucket | ValkeyBucketPerKey)[], seconds = 1): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (const one of fleet) {
      const bucket = 'for' in one ? one.for(request) : one;
      bucket.acquire({ maxWaitMs: 20_000 }).catch(() => undefined);
    }
    await clock.advance(1_000);
  }
}

const closed = (...buckets: readonly { close(): Promise<void> }[]): Promise<unknown> =>
  world.run(Promise.all(buckets.map((bucket) => bucket.close())), 3_000);

describe('a process calls its store', () => {
  const units = {
    requests: { refillPerSecond: 1, capacity: 10 },
    tokens: { refillPerSecond: 100, capacity: 1_000 },
  };

  test.each<[name: string, latencyMs: number, options: Partial<ValkeyBucketOptions>]>([
    ['a store nearby', 0.25, {}],
    ['a store far away', 100, {}],
    ['a slow bucket', 0.25, { refillPerSecond: 0.01, capacity: 10 }],
    ['a fast bucket', 0.25, { refillPerSecond: 10_000, capacity: 2_000 }],
    ['several units', 0.25, { limits: units, refillPerSecond: undefined, capacity: undefined }],
    ['several that are expected', 0.25, { processes: { expected: 4 } }],
  ])('at most three times in a day after one request: %s', async (_, latencyMs, options) => {
    store.latencyMs = latencyMs;
    const bucket = bucketOf(options);
    void bucket.acquire({ cost: options.limits === undefined ? 1 : { requests: 1, tokens: 100 } });
    await clock.advance(86_400_000);
    expect(bucket.stats().calls).toBeLessThanOrEqual(3);
    await closed(bucket);
    expect(clock.pending).toBe(0);
  });

  test('at most three times in 700 s after one request to the bucket of a key', async () => {
    const buckets = tenants();
    await use([buckets]);
    await clock.advance(700_000);
    expect(store.callsByKey.get('ebb:{k}')).toBeLessThanOrEqual(3);
    await closed(buckets);
  });

  // A lease, what is given back of it, and less often that the process is there.
  test.each([20, 60, 300])(
    'for requests that come each %i s: at most 2.1 times for each',
    async (seconds) => {
      const bucket = bucketOf();
      for (let sent = 0; sent < 60; sent += 1) {
        void bucket.acquire();
        await clock.advance(seconds * 1_000);
      }
      expect(bucket.stats().calls / 60).toBeLessThanOrEqual(2.1);
      await closed(bucket);
    },
  );

  test('not on and on if it is quiet and cannot have its part', async () => {
    // The first one is quiet as well, and holds all for two minutes.
    const [first, second] = [bucketOf(), bucketOf()];
    await use([first]);
    await clock.advance(20_000);
    await use([second]);
    await clock.advance(10_000);
    const { calls, share } = second.stats();
    expect(share).toBeLessThan(0.05);
    await clock.advance(700_000);
    expect(second.stats().calls).toBe(calls);
    await closed(first, second);
  });
});

describe('without its store a process has', () => {
  /** The amount held that a process tells the store, each time it tries to come back. */
  const saidBy = (held: string[]) => {
    const evalsha = (sha1: string, key: string, args: readonly string[]): Promise<unknown> => {
      if (args[0] === 'resume') held.push(args[9]?.split(' ')[1] as string);
      return store.evalsha(sha1, key, args);
    };
    return { evalsha, eval: (...call: Parameters<ModelStore['eval']>) => store.eval(...call) };
  };

  test.each<[name: string, idleMs: number, share: number, says: number, options: object]>([
    ['its share within two minutes after its last request', 100_000, 1, 1, {}],
    ['a 64th later', 130_000, 1 / 64, 1 / 64, {}],
    ['its part of those that are expected later', 130_000, 1 / 4, 1 / 4, { processes: { expected: 4 } }],
    ['what the program says, at any time', 86_400_000, 0.5, 1 / 64, { localShare: 0.5 }],
  ])('%s, and says so when it comes back', async (_, idleMs, share, says, options) => {
    const held: string[] = [];
    const bucket = bucketOf({ ...options, client: saidBy(held) });
    await use([bucket]);
    await clock.advance(20_000 + idleMs);
    store.health = 'refusing';
    // Its attempts to reach the store change nothing.
    for (let time = 0; time < 5; time += 1) {
      expect(await world.fateOf(bucket.acquire(), 20_000)).toMatchObject({ cost: 1 });
      expect(bucket.stats()).toMatchObject({ mode: 'local', share });
    }
    expect(new Set(held)).toEqual(new Set([`${says * 1e6}`]));
    await closed(bucket);
  });

  test('as much as the others leave, when a fleet has been quiet in part', async () => {
    const fleet = Array.from({ length: 4 }, () => bucketOf());
    const [quiet, ...busy] = fleet as [ValkeyBucket, ...ValkeyBucket[]];
    await use(fleet);
    await clock.advance(4_000);
    await use(busy, 300);
    const third = { processes: 3, share: expect.closeTo(1 / 3, 3) };
    expect(busy.map((bucket) => bucket.stats())).toMatchObject([third, third, third]);
    store.health = 'refusing';
    await use(fleet);
    expect(quiet.stats().share).toBe(1 / 64);
    expect(fleet.reduce((sum, bucket) => sum + bucket.stats().share, 0)).toBeLessThanOrEqual(1.08 + 1 / 64);
    store.health = 'up';
    await use(fleet);
    await clock.advance(9_000);
    for (const bucket of fleet) expect(bucket.stats()).toMatchObject({ mode: 'shared', processes: 4 });
    await closed(...fleet);
  });
});

describe('the buckets of many keys', () => {
  test.each([20, 60, 300])('have their share when a request comes each %i s', async (everySeconds) => {
    const fleet = [tenants(), tenants()];
    for (let times = 0; times < 20; times += 1) {
      await use(fleet);
      for (const one of fleet) expect(one.stats().share).toBeCloseTo(1 / 2, 3);
      await clock.advance((everySeconds - 1) * 1_000);
    }
    await closed(...fleet);
  });

  test('keep their share in an outage that lasts', async () => {
    const buckets = tenants();
    for (let minute = 0; minute < 5; minute += 1) {
      await use([buckets]);
      await clock.advance(59_000);
    }
    // Its process was counted less than a minute ago, so no request has it counted now.
    await use([buckets]);
    await clock.advance(49_000);
    store.health = 'refusing';
    await use([buckets], 300);
    expect(buckets.stats()).toMatchObject({ mode: 'local', share: 1 });
    await closed(buckets);
  });

  test('are counted again after an outage', async () => {
    const fleet = [tenants(), tenants()];
    await use(fleet, 10);
    store.health = 'refusing';
    await use(fleet, 60);
    store.health = 'up';
    await use(fleet, 10);
    fleet.push(tenants());
    await use(fleet, 20);
    const third = { mode: 'shared', processes: 3, share: expect.closeTo(1 / 3, 3) };
    expect(fleet.map((buckets) => buckets.stats())).toMatchObject([third, third, third]);
    await closed(...fleet);
  });
});
