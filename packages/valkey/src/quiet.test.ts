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

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ ...limit, random: seededRandom(1), ...options });

/** Acquires a token. Resolves with the wait, or the reason of a refusal. */
async function ask(bucket: Pick<ValkeyBucket, 'acquire'>, withinMs = 20_000): Promise<number | string> {
  const startMs = clock.now();
  const asked = bucket.acquire({ maxWaitMs: withinMs }).then(
    () => clock.now() - startMs,
    ({ reason }: { readonly reason: string }) => reason,
  );
  await clock.advance(withinMs + 1_000);
  return asked;
}

async function closed(...buckets: readonly { close(): Promise<void> }[]): Promise<void> {
  await Promise.all([...buckets.map((bucket) => bucket.close()), clock.advance(3_000)]);
}

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
  ])('at most three times in 700 s after one request: %s', async (_, latencyMs, options) => {
    store.latencyMs = latencyMs;
    const bucket = bucketOf(options);
    void bucket.acquire({ cost: options.limits === undefined ? 1 : { requests: 1, tokens: 100 } });
    await clock.advance(700_000);
    expect(bucket.stats().calls).toBeLessThanOrEqual(3);
    await clock.advance(86_400_000);
    expect(bucket.stats().calls).toBeLessThanOrEqual(3);
    await closed(bucket);
    expect(clock.pending).toBe(0);
  });

  test.each([
    // A lease, what is given back of it, and less often that the process is there.
    [20, 2.1],
    [60, 2.1],
    [300, 2.1],
  ])('for requests that come each %i s: at most %d times for each', async (everySeconds, most) => {
    const bucket = bucketOf();
    const requests = 60;
    for (let request = 0; request < requests; request += 1) {
      void bucket.acquire();
      await clock.advance(everySeconds * 1_000);
    }
    expect(bucket.stats().calls / requests).toBeLessThanOrEqual(most);
    await closed(bucket);
  });
});

test('a process that cannot have its part, and is quiet, does not ask on', async () => {
  // The first one is quiet as well, and holds all for two minutes.
  const [first, second] = [bucketOf(), bucketOf()];
  await ask(first);
  await ask(second, 10_000);
  const { calls, share } = second.stats();
  expect(share).toBeLessThan(0.05);
  await clock.advance(700_000);
  expect(second.stats().calls).toBe(calls);
  await closed(first, second);
});

describe('without its store a process has', () => {
  test.each<[name: string, idleMs: number, share: number, options: Partial<ValkeyBucketOptions>]>([
    ['its share within two minutes after its last request', 100_000, 1, {}],
    ['a 64th later', 130_000, 1 / 64, {}],
    ['its part of those that are expected later', 130_000, 1 / 4, { processes: { expected: 4 } }],
    ['what the program says, at any time', 86_400_000, 0.5, { localShare: 0.5 }],
  ])('%s', async (_, idleMs, share, options) => {
    const bucket = bucketOf(options);
    await ask(bucket);
    await clock.advance(idleMs);
    store.health = 'refusing';
    await expect(ask(bucket)).resolves.toBeTypeOf('number');
    expect(bucket.stats()).toMatchObject({ mode: 'local', share });
    // Its attempts to reach the store change nothing.
    for (let second = 0; second < 5; second += 1) await ask(bucket);
    expect(bucket.stats()).toMatchObject({ mode: 'local', share });
    await closed(bucket);
  });

  test.each([
    [100_000, 1_000_000],
    [130_000, 15_625],
  ])('no more than it says when it is back, %i ms later', async (idleMs, held) => {
    const said: (string | undefined)[] = [];
    const evalsha = (sha1: string, key: string, args: readonly string[]): Promise<unknown> => {
      if (args[0] === 'resume') said.push(args[9]?.split(' ')[1]);
      return store.evalsha(sha1, key, args);
    };
    const client = { evalsha, eval: (...call: Parameters<ModelStore['eval']>) => store.eval(...call) };
    const bucket = bucketOf({ client });
    await ask(bucket);
    await clock.advance(idleMs);
    store.health = 'refusing';
    await ask(bucket);
    expect(new Set(said)).toEqual(new Set([`${held}`]));
    await closed(bucket);
  });

  test('nothing if it has never reached one', async () => {
    store.health = 'refusing';
    const bucket = bucketOf({ connectTimeoutMs: 0 });
    expect(await ask(bucket)).toBe('unavailable');
    expect(bucket.stats()).toMatchObject({ mode: 'closed', share: 0 });
    await closed(bucket);
  });

  test('as much as the others leave, when a fleet has been quiet in part', async () => {
    const fleet = Array.from({ length: 4 }, () => bucketOf());
    const [quiet, ...busy] = fleet as [ValkeyBucket, ...ValkeyBucket[]];
    await Promise.all([...fleet.map((bucket) => bucket.acquire()), clock.advance(5_000)]);
    for (let second = 0; second < 300; second += 1) {
      for (const bucket of busy) void bucket.acquire().catch(() => undefined);
      await clock.advance(1_000);
    }
    for (const bucket of busy)
      expect(bucket.stats()).toMatchObject({ processes: 3, share: expect.closeTo(1 / 3, 3) });
    store.health = 'refusing';
    for (const bucket of fleet) void bucket.acquire().catch(() => undefined);
    await clock.advance(1_000);
    expect(quiet.stats().share).toBe(1 / 64);
    expect(fleet.reduce((sum, bucket) => sum + bucket.stats().share, 0)).toBeLessThanOrEqual(1.08 + 1 / 64);
    store.health = 'up';
    for (const bucket of fleet) void bucket.acquire().catch(() => undefined);
    await clock.advance(10_000);
    for (const bucket of fleet) expect(bucket.stats()).toMatchObject({ mode: 'shared', processes: 4 });
    await closed(...fleet);
  });
});

describe('the buckets of many keys', () => {
  const request: RequestTraits = { url: '/', method: 'GET', replayable: true, header: () => undefined };
  const tenants = (): ValkeyBucketPerKey =>
    valkeyBucketPerKey({
      client: store,
      key: 'k',
      ...limit,
      clock,
      random: seededRandom(1),
      keyOf: () => 'a',
    });
  const use = (...fleet: readonly ValkeyBucketPerKey[]): void => {
    for (const buckets of fleet)
      buckets
        .for(request)
        .acquire()
        .catch(() => undefined);
  };
  const callsOfProcesses = (): number => store.callsByKey.get('ebb:{k}') ?? 0;

  test('count their process at most three times in 700 s after one request', async () => {
    const buckets = tenants();
    use(buckets);
    await clock.advance(700_000);
    expect(callsOfProcesses()).toBeLessThanOrEqual(3);
    await closed(buckets);
  });

  test.each([20, 60, 300])('have their share when a request comes each %i s', async (everySeconds) => {
    const [buckets, other] = [tenants(), tenants()];
    for (let times = 0; times < 20; times += 1) {
      use(buckets, other);
      await clock.advance(1_000);
      for (const one of [buckets, other]) expect(one.stats().share).toBeCloseTo(1 / 2, 3);
      await clock.advance((everySeconds - 1) * 1_000);
    }
    await closed(buckets, other);
  });

  test('keep their share in an outage that lasts', async () => {
    const buckets = tenants();
    for (let minute = 0; minute < 5; minute += 1) {
      use(buckets);
      await clock.advance(60_000);
    }
    // Its process was counted less than a minute ago, so no request has it counted now.
    use(buckets);
    await clock.advance(50_000);
    store.health = 'refusing';
    for (let second = 0; second < 300; second += 1) {
      use(buckets);
      await clock.advance(1_000);
    }
    expect(buckets.stats()).toMatchObject({ mode: 'local', share: 1 });
    await closed(buckets);
  });

  test('are counted again after an outage', async () => {
    const fleet = [tenants(), tenants()];
    const run = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        use(...fleet);
        await clock.advance(1_000);
      }
    };
    await run(10);
    store.health = 'refusing';
    await run(60);
    store.health = 'up';
    await run(10);
    const before = callsOfProcesses();
    fleet.push(tenants());
    await run(20);
    expect(callsOfProcesses()).toBeGreaterThan(before + 5);
    for (const buckets of fleet) expect(buckets.stats()).toMatchObject({ mode: 'shared', processes: 3 });
    for (const buckets of fleet) expect(buckets.stats().share).toBeCloseTo(1 / 3, 3);
    await closed(...fleet);
  });
});
