import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ModelStore } from '../test/model-store.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';

// A process whose requests come minutes apart: what it asks of the store, and what it may spend without it.

let world: StoreWorld;
let clock: VirtualClock;
let store: ModelStore;

beforeEach(() => {
  world = new StoreWorld();
  ({ clock, store } = world);
});

const limit = { refillPerSecond: 10, capacity: 10 };
const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ ...limit, random: seededRandom(1), ...options });

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
});

describe('without its store a process has', () => {
  /** What a process says that it holds, each time when it tries to come back. */
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
    void bucket.acquire();
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
});
