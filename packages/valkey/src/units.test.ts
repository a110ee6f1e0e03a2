import { fairQueue, NotSentError } from '@ebb/core';
import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ModelStore } from '../test/model-store.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
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

/** Acquires, and lets the clock run until that has ended. */
async function granted(bucket: ValkeyBucket, cost: Record<string, number>, withinMs = 60_000) {
  const asked = bucket.acquire({ cost, maxWaitMs: withinMs });
  const sinceMs = clock.now();
  return world.fateOf(
    asked.then(() => clock.now() - sinceMs),
    withinMs + 1_000,
  );
}

describe('a bucket of several units', () => {
  test('takes tokens of all of them, or of none', async () => {
    const bucket = processWith();
    expect(await granted(bucket, { requests: 1, tokens: 500 }, 10)).toBeLessThan(10);
    const { units } = bucket.stats();
    expect(Object.keys(units ?? {})).toEqual(['requests', 'tokens']);
    // More than ever fits.
    await expect(bucket.acquire({ cost: { requests: 1, tokens: 2_001 } })).rejects.toThrow(
      'acquire: cost.tokens must be at most the capacity, 2000',
    );
    await expect(bucket.acquire({ cost: { request: 1 } })).rejects.toThrow(
      'acquire: cost has no option "request"',
    );
    await Promise.all([bucket.close(), clock.advance(1_000)]);
  });

  test('waits for the one that is lacking', async () => {
    const bucket = processWith();
    await Promise.all([bucket.acquire({ cost: { tokens: 2_000 } }), clock.advance(10)]);
    const grant = await world.run(bucket.acquire({ cost: { requests: 1, tokens: 1_900 } }), 3_000);
    expect(grant.waitedMs).toBeLessThanOrEqual(2_000);
    const second = bucket.acquire({ cost: { requests: 1, tokens: 2_000 } });
    expect((await world.run(second, 5_000)).unit).toBe('tokens');
    await world.run(bucket.close(), 1_000);
  });

  test('refuses what comes too late in any of them', async () => {
    const [one, other] = [processWith(), processWith()];
    await Promise.all([one.acquire({ cost: { requests: 10, tokens: 1 } }), clock.advance(10)]);
    const late = await granted(other, { requests: 10 }, 200);
    expect(late).toBeInstanceOf(NotSentError);
    await Promise.all([one.close(), other.close(), clock.advance(1_000)]);
  });

  test('gives back what a grant did not use, of each unit, and charges what it used beyond', async () => {
    const [bucket, other] = [processWith(), processWith()];
    const grant = await world.run(bucket.acquire({ cost: { requests: 1, tokens: 1_900 } }), 10);
    grant.settle({ tokens: 100 });
    await clock.advance(300);
    expect(await granted(other, { tokens: 1_900 }, 300)).toBeLessThan(300);
    const debt = await world.run(bucket.acquire({ cost: { requests: 1, tokens: 10 } }), 1_000);
    debt.settle({ tokens: 3_000 });
    await clock.advance(300);
    expect(await granted(other, { tokens: 100 }, 500)).toBeInstanceOf(NotSentError);
    await Promise.all([bucket.close(), other.close(), clock.advance(1_000)]);
  });

  test('goes on with its share of each unit while the store is away', async () => {
    const fleet = Array.from({ length: 4 }, () => processWith());
    for (const lastsMs of [65_500, 500]) {
      const asks = fleet.map((bucket) => bucket.acquire({ cost: { requests: 1, tokens: 50 } }));
      await world.run(Promise.all(asks), lastsMs);
    }
    store.health = 'refusing';
    let [requests, isOver] = [0, false];
    for (const bucket of fleet) {
      for (let caller = 0; caller < 3; caller += 1) {
        void (async () => {
          while (!isOver) {
            await bucket.acquire({ cost: { requests: 1, tokens: 50 } }).catch(() => {});
            requests += 1;
          }
        })();
      }
    }
    await clock.advance(20_000);
    // 10 requests a second bind; 500 tokens a second are half of the other limit.
    expect(requests).toBeGreaterThan(180);
    expect(requests).toBeLessThan(225);
    isOver = true;
    await Promise.all([...fleet.map((bucket) => bucket.close()), clock.advance(2_000)]);
  });

  test('pauses in the unit that fills fastest, and for all processes', async () => {
    const [one, other] = [processWith(), processWith()];
    await Promise.all([other.acquire({ cost: { requests: 1 } }), clock.advance(10)]);
    one.pauseFor(2_000);
    await clock.advance(1_500);
    const asked = other.acquire({ cost: { tokens: 1 } });
    expect(await world.fateOf(asked, 300)).toBe('waits');
    expect(await world.fateOf(asked, 2_000)).toMatchObject({ cost: { tokens: 1 } });
    await Promise.all([one.close(), other.close(), clock.advance(1_000)]);
  });

  test.each<[name: string, options: object, message: RegExp]>([
    ['a rate beside the limits', { refillPerSecond: 5 }, /refillPerSecond must be undefined beside `limits`/],
    ['a capacity beside the limits', { capacity: 5 }, /capacity must be undefined beside `limits`/],
    ['no limit', { limits: {} }, /limits must be an object with a limit for each unit/],
    ['a limit without capacity', { limits: { a: { refillPerSecond: 1 } } }, /limits\.a.*capacity/],
    [
      'a unit that is charged at the end',
      { limits: { a: { refillPerSecond: 1, capacity: 1, settled: true } } },
      /limits\.a\.settled must be left out, because a fleet charges tokens when they are leased; `settle` gives back .*, got true/,
    ],
    [
      'to charge at the end',
      { limits: undefined, refillPerSecond: 1, settled: true },
      /valkeyBucket: settled must be left out, because a fleet charges tokens when they are leased/,
    ],
    [
      'a rate of text',
      { limits: { a: { refillPerSecond: '1', capacity: 1 } } },
      /limits\.a.*refillPerSecond/,
    ],
    [
      'a capacity that never fills',
      { limits: { a: { refillPerSecond: 1, capacity: 1 }, b: { refillPerSecond: 1e-6, capacity: 1e9 } } },
      /limits\.b\.refillPerSecond must be at least/,
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => processWith(options)).toThrow(message);
  });
});

/** A fleet whose callers always want more, and the most that it spent of each unit in any window, beyond the rate. */
async function saturate(processes: number, seconds: number, latencyMs: number, seed: number) {
  const random = seededRandom(seed);
  store.latencyMs = latencyMs;
  const rates = { requests: 20, input: 4_000, output: 1_000 };
  const own = {
    requests: { refillPerSecond: rates.requests, capacity: 20 },
    input: { refillPerSecond: rates.input, capacity: 20_000 },
    output: { refillPerSecond: rates.output, capacity: 4_000 },
  };
  const units = ['requests', 'input', 'output'] as const;
  const spent: { atMs: number; cost: Record<(typeof units)[number], number> }[] = [];
  const fleet = Array.from({ length: processes }, () =>
    valkeyBucket({ client: store, key: 'k', limits: own, clock, random }),
  );
  let isOver = false;
  for (const bucket of fleet) {
    for (let caller = 0; caller < 8; caller += 1) {
      void (async () => {
        while (!isOver) {
          const cost = {
            requests: 1,
            input: Math.floor(random() ** 4 * 2_000),
            output: 1 + Math.floor(random() ** 2 * 300),
          };
          await bucket.acquire({ cost });
          if (!isOver) spent.push({ atMs: clock.now(), cost });
        }
      })();
    }
  }
  await clock.advance(seconds * 1_000);
  isOver = true;
  const use = units.map((unit) => {
    let [sum, least, burst] = [0, 0, 0];
    for (const { atMs, cost } of spent) {
      const refilled = (rates[unit] * atMs) / 1_000;
      least = Math.min(least, sum - refilled);
      sum += cost[unit];
      burst = Math.max(burst, sum - refilled - least);
    }
    const { capacity } = own[unit];
    const excess = Math.max(...[0, sum - capacity - rates[unit] * seconds]);
    return { share: sum / (capacity + rates[unit] * seconds), burst: burst / capacity, excess };
  });
  const calls = store.calls.length / spent.length;
  return { use, calls };
}

describe('a saturated fleet of several units', () => {
  test.each([
    [1, 0.25],
    [4, 0.25],
    [8, 0.25],
    [8, 20],
  ])(
    '%i processes, %d ms to the store: the unit that binds is used, and no unit beyond its limit',
    async (processes, latencyMs) => {
      const { use, calls } = await saturate(processes, 60, latencyMs, 7);
      const binding = Math.max(...use.map(({ share }) => share));
      expect(binding).toBeGreaterThanOrEqual(0.97);
      for (const { burst, excess } of use) {
        expect(excess).toBe(0);
        expect(burst).toBeLessThanOrEqual(2);
      }
      expect(calls).toBeLessThanOrEqual(1.3);
    },
  );
});

describe('keys that share a fleet', () => {
  /** What each key got in each process, as a part of all. */
  async function sharesOf(
    fleet: readonly (readonly string[])[],
    cost: () => Record<string, number> | number,
  ) {
    const one = { limits: undefined, refillPerSecond: 100, capacity: 20 };
    const options = typeof cost() === 'number' ? one : {};
    const got: number[][] = fleet.map((keys) => keys.map(() => 0));
    let isOver = false;
    const buckets = fleet.map((keys, process) => {
      const bucket = processWith({ queue: fairQueue(), ...options });
      keys.forEach((fairKey, at) => {
        for (let caller = 0; caller < 4; caller += 1) {
          (async () => {
            while (!isOver) {
              const asked = cost();
              await bucket.acquire({ cost: asked, fairKey });
              const counts = got[process] as number[];
              counts[at] = (counts[at] ?? 0) + (typeof asked === 'number' ? asked : (asked.tokens ?? 0));
            }
          })().catch(() => undefined);
        }
      });
      return bucket;
    });
    await clock.advance(60_000);
    isOver = true;
    const all = got.flat().reduce((sum, each) => sum + each, 0);
    await Promise.all([...buckets.map((bucket) => bucket.close()), clock.advance(2_000)]);
    return got.map((counts) => counts.map((count) => count / all));
  }

  test('have the same in each process, however many keys wait there', async () => {
    const keys = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    const [[alone = 0] = [], others = []] = await sharesOf([['a'], keys], () => 1);
    for (const share of [alone, ...others]) expect(share).toBeCloseTo(0.1, 2);
  });

  test('count in each process in which they wait', async () => {
    const [[one = 0] = [], [same = 0, other = 0] = []] = await sharesOf([['a'], ['a', 'b']], () => 1);
    for (const share of [one, same, other]) expect(share).toBeCloseTo(1 / 3, 2);
  });

  test('share the unit that binds', async () => {
    const shares = await sharesOf([['a'], ['b', 'c', 'd']], () => ({ requests: 1, tokens: 400 }));
    for (const share of shares.flat()) expect(share).toBeCloseTo(0.25, 1);
  });
});

describe.runIf(hasServer)('a bucket of several units in a server', () => {
  const real = useStore();

  test('is one key and one call', async () => {
    const bucket = valkeyBucket({ client: real.client, key: real.newKey().replace(/[{}]/g, ''), limits });
    const grant = await bucket.acquire({ cost: { requests: 1, tokens: 300 } });
    expect(grant.cost).toEqual({ requests: 1, tokens: 300 });
    expect(bucket.stats()).toMatchObject({ calls: 1, mode: 'shared' });
    expect(bucket.stats().units?.tokens?.tokens).toBeLessThanOrEqual(1_800);
    await Promise.all([bucket.close(), clock.advance(1_000)]);
  });
});
