import { fairQueue, NotSentError } from '@ebb/core';
import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ModelStore } from '../test/model-store.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import { playUnits } from '../test/unit-fleet.ts';
import { type ValkeyBucket, type ValkeyBucketOptions, valkeyBucket } from './index.ts';

let world: StoreWorld;
let clock: VirtualClock;
let store: ModelStore;

beforeEach(() => {
  world = new StoreWorld();
  ({ clock, store } = world);
});

const limits = {
  requests: { refillPerSecond: 10, capacity: 10 },
  tokens: { refillPerSecond: 1_000, capacity: 2_000 },
};

function processWith(options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket {
  return valkeyBucket({ client: store, key: 'k', limits, clock, random: seededRandom(1), ...options });
}

/** Acquires within a time. Returns what has come of it. */
const ask = (bucket: ValkeyBucket, cost: Record<string, number>, maxWaitMs: number) =>
  world.fateOf(bucket.acquire({ cost, maxWaitMs }), maxWaitMs + 1);

describe('a bucket of several units', () => {
  test('takes tokens of all of them, or of none', async () => {
    const bucket = processWith();
    expect(await ask(bucket, { requests: 1, tokens: 500 }, 10)).toMatchObject({ cost: { tokens: 500 } });
    const { units } = bucket.stats();
    expect(Object.keys(units ?? {})).toEqual(['requests', 'tokens']);
    for (const [cost, message] of [
      [{ requests: 1, tokens: 2_001 }, 'acquire: cost.tokens must be at most the capacity, 2000'],
      [{ request: 1 }, 'acquire: cost has no option "request"'],
    ] as const)
      await expect(bucket.acquire({ cost })).rejects.toThrow(message);
    await world.run(bucket.close());
  });

  test('waits for the one that is lacking', async () => {
    const bucket = processWith();
    await world.run(bucket.acquire({ cost: { tokens: 2_000 } }), 10);
    const grant = await world.run(bucket.acquire({ cost: { requests: 1, tokens: 1_900 } }), 3_000);
    expect(grant.waitedMs).toBeLessThanOrEqual(2_000);
    const second = bucket.acquire({ cost: { requests: 1, tokens: 2_000 } });
    expect((await world.run(second, 5_000)).unit).toBe('tokens');
    await world.run(bucket.close());
  });

  test('refuses what comes too late in any of them', async () => {
    const [one, other] = [processWith(), processWith()];
    await world.run(one.acquire({ cost: { requests: 10, tokens: 1 } }), 10);
    expect(await ask(other, { requests: 10 }, 200)).toBeInstanceOf(NotSentError);
    await world.run(Promise.all([one.close(), other.close()]));
  });

  test('gives back what a grant did not use, of each unit, and charges what it used beyond', async () => {
    const [bucket, other] = [processWith(), processWith()];
    const grant = await world.run(bucket.acquire({ cost: { requests: 1, tokens: 1_900 } }), 10);
    grant.settle({ tokens: 100 });
    await clock.advance(300);
    expect(await ask(other, { tokens: 1_900 }, 300)).toMatchObject({ cost: { tokens: 1_900 } });
    const debt = await world.run(bucket.acquire({ cost: { requests: 1, tokens: 10 } }), 1_000);
    debt.settle({ tokens: 3_000 });
    await clock.advance(300);
    expect(await ask(other, { tokens: 100 }, 500)).toBeInstanceOf(NotSentError);
    await world.run(Promise.all([bucket.close(), other.close()]));
  });

  test('goes on with its share of each unit while the store is away', async () => {
    const fleet = Array.from({ length: 4 }, () => processWith());
    const cost = { requests: 1, tokens: 50 };
    for (const lastsMs of [65_500, 500])
      await world.run(Promise.all(fleet.map((bucket) => bucket.acquire({ cost }))), lastsMs);
    store.health = 'refusing';
    let [requests, isOver] = [0, false];
    const keepAsking = async (bucket: ValkeyBucket): Promise<void> => {
      while (!isOver) {
        await bucket.acquire({ cost }).catch(() => {});
        requests += 1;
      }
    };
    for (const bucket of fleet) for (let caller = 0; caller < 3; caller += 1) void keepAsking(bucket);
    await clock.advance(20_000);
    // 10 requests a second bind; 500 tokens a second are half of the other limit.
    expect(requests).toBeGreaterThan(180);
    expect(requests).toBeLessThan(225);
    isOver = true;
    await world.run(Promise.all(fleet.map((bucket) => bucket.close())));
  });

  test('pauses in the unit that fills fastest, and for all processes', async () => {
    const [one, other] = [processWith(), processWith()];
    await world.run(other.acquire({ cost: { requests: 1 } }), 10);
    one.pauseFor(2_000);
    await clock.advance(1_500);
    const asked = other.acquire({ cost: { tokens: 1 } });
    expect(await world.fateOf(asked, 300)).toBe('waits');
    expect(await world.fateOf(asked, 2_000)).toMatchObject({ cost: { tokens: 1 } });
    await world.run(Promise.all([one.close(), other.close()]));
  });

  const one = { refillPerSecond: 1, capacity: 1 };
  const atTheEnd =
    'chargeOn must be left out, because a fleet charges tokens when they are leased; `settle` gives';
  test.each<[name: string, options: object, message: string]>([
    ['a rate beside the limits', { refillPerSecond: 5 }, 'refillPerSecond must be undefined beside `limits`'],
    ['a capacity beside the limits', { capacity: 5 }, 'capacity must be undefined beside `limits`'],
    ['no limit', { limits: {} }, 'limits must be an object with a limit for each unit'],
    ['a limit without capacity', { limits: { a: { refillPerSecond: 1 } } }, 'limits.a'],
    ['a rate of text', { limits: { a: { ...one, refillPerSecond: '1' } } }, 'limits.a'],
    [
      'a unit that is charged at the end',
      { limits: { a: { ...one, chargeOn: 'completion' } } },
      `limits.a.${atTheEnd}`,
    ],
    [
      'to charge at the end',
      { limits: undefined, ...one, chargeOn: 'completion' },
      `valkeyBucket: ${atTheEnd}`,
    ],
    [
      'a capacity that never fills',
      { limits: { a: one, b: { refillPerSecond: 1e-6, capacity: 1e9 } } },
      'limits.b.refillPerSecond must be at least',
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => processWith(options)).toThrow(message);
  });
});

test.each([
  { processes: 1, roundTripMs: 0.5 },
  { processes: 8, roundTripMs: 0.5 },
  { processes: 8, roundTripMs: 40 },
])(
  'a saturated fleet, $processes processes, $roundTripMs ms to the store: the unit that binds is used, and no unit beyond its limit',
  async (fleet) => {
    const own = {
      requests: { refillPerSecond: 20, capacity: 20 },
      input: { refillPerSecond: 4_000, capacity: 20_000 },
      output: { refillPerSecond: 1_000, capacity: 4_000 },
    };
    const costOf = (random: () => number) => ({
      ...{ requests: 1, input: Math.floor(random() ** 4 * 2_000) },
      output: 1 + Math.floor(random() ** 2 * 300),
    });
    const { use, callsPerGrant } = await playUnits({
      ...fleet,
      limits: own,
      costOf,
      callers: 8,
      seconds: 60,
      seed: 7,
    });
    expect(Math.max(...use.map(({ share }) => share))).toBeGreaterThanOrEqual(0.97);
    for (const { burst, share } of use) {
      expect(share).toBeLessThanOrEqual(1);
      expect(burst).toBeLessThanOrEqual(2);
    }
    expect(callsPerGrant).toBeLessThanOrEqual(1.3);
  },
);

describe('keys that share a fleet', () => {
  const single = { limits: undefined, refillPerSecond: 100, capacity: 20 };
  test.each<[how: string, options: Partial<ValkeyBucketOptions>, cost: object | number, fleet: string[]]>([
    // A letter is a key that waits in a process.
    ['the same in each process, however many keys wait there', single, 1, ['a', 'bcdefghij']],
    ['a part in each process in which they wait', single, 1, ['a', 'ab']],
    ['a part of the unit that binds', {}, { requests: 1, tokens: 400 }, ['a', 'bcd']],
  ])('have %s', async (_, options, cost, fleet) => {
    const got = new Map<string, number>();
    let isOver = false;
    const keepAsking = async (bucket: ValkeyBucket, fairKey: string, name: string): Promise<void> => {
      while (!isOver) {
        await bucket.acquire({ cost: cost as number, fairKey });
        got.set(name, (got.get(name) ?? 0) + 1);
      }
    };
    const buckets = fleet.map((keys, process) => {
      const bucket = processWith({ queue: fairQueue(), ...options });
      for (const key of keys) {
        for (let caller = 0; caller < 4; caller += 1)
          keepAsking(bucket, key, `${process} ${key}`).catch(() => undefined);
      }
      return bucket;
    });
    await clock.advance(60_000);
    isOver = true;
    await world.run(Promise.all(buckets.map((bucket) => bucket.close())));
    const counts = [...got.values()];
    const all = counts.reduce((sum, count) => sum + count, 0);
    expect(counts.length).toBe(fleet.join('').length);
    for (const count of counts)
      expect(count / all).toBeCloseTo(1 / counts.length, options === single ? 2 : 1);
  });
});

describe.runIf(hasServer)('a bucket of several units in a server', () => {
  const real = useStore();

  test('is one key and one call', async () => {
    const bucket = valkeyBucket({ client: real.client, key: real.newKey().replace(/[{}]/g, ''), limits });
    const cost = { requests: 1, tokens: 300 };
    expect((await bucket.acquire({ cost })).cost).toEqual(cost);
    expect(bucket.stats()).toMatchObject({ calls: 1, mode: 'shared' });
    expect(bucket.stats().units?.tokens?.tokens).toBeLessThanOrEqual(1_800);
    await bucket.close();
  });
});
