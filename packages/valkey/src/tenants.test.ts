import { createPolicy, type RequestTraits } from '@ebb/core';
import { Call } from '@ebb/core/adapter';
import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { judge, prepare } from '../../core/test/steps.ts';
import { StoreWorld } from '../test/busy-fleet.ts';
import { ModelStore } from '../test/model-store.ts';
import {
  type StoreEvent,
  type ValkeyBucketPerKey,
  type ValkeyBucketPerKeyOptions,
  valkeyBucketPerKey,
} from './index.ts';
import type { StoreClient } from './store-client.ts';

let world: StoreWorld;
let clock: VirtualClock;
let store: ModelStore;
let events: StoreEvent[];

beforeEach(() => {
  world = new StoreWorld();
  ({ clock, store, events } = world);
});

const of = (tenant: string): RequestTraits => {
  return { method: 'GET', url: `https://a.test/${tenant}`, replayable: true, header: () => tenant };
};

const tenants = (options: Partial<ValkeyBucketPerKeyOptions> = {}): ValkeyBucketPerKey =>
  valkeyBucketPerKey({
    ...{ client: store, key: 'k', refillPerSecond: 1, capacity: 10, clock, random: seededRandom(1) },
    ...{ keyOf: (request) => request.header('tenant') ?? '', onStoreEvent: (event) => events.push(event) },
    ...options,
  });

const run = <T>(promise: Promise<T>, withinMs = 50): Promise<T> => world.run(promise, withinMs);
const closed = (...fleet: readonly ValkeyBucketPerKey[]): Promise<unknown> =>
  run(Promise.all(fleet.map((buckets) => buckets.close())), 3_000);

/** The calls for keys of tenants; those that count the process are for a key of their own. */
const callsForKeys = (): number =>
  [...store.callsByKey].reduce((sum, [key, calls]) => sum + (key === 'ebb:{k}' ? 0 : calls), 0);

describe('a key', () => {
  test('has its own bucket, in the store and here', async () => {
    const buckets = tenants();
    for (let time = 0; time < 10; time += 1) await run(buckets.for(of('a')).acquire());
    expect(await run(buckets.for(of('b')).acquire())).toMatchObject({ waitedMs: expect.closeTo(0.5, 1) });
    const late = buckets.for(of('a')).acquire({ maxWaitMs: 100 });
    await expect(run(late, 500)).rejects.toMatchObject({ reason: 'wait-too-long' });
    expect([...store.keys.keys()].sort()).toEqual(['ebb:{k:a}', 'ebb:{k:b}', 'ebb:{k}']);
    await closed(buckets);
  });

  test('makes one call for a lone request, and is forgotten once it is full', async () => {
    const buckets = tenants({ refillPerSecond: 0.1 });
    for (let tenant = 0; tenant < 50; tenant += 1) await run(buckets.for(of(`${tenant}`)).acquire());
    await clock.advance(600);
    expect(buckets.stats()).toMatchObject({ active: 0, resting: 50 });
    await clock.advance(60_000);
    expect(callsForKeys()).toBe(50);
    expect(buckets.stats()).toMatchObject({ active: 0, resting: 0 });
    await closed(buckets);
    expect(clock.pending).toBe(0);
  });

  test('rests a quarter of a second after its last use, and is forgotten when it was full for a second', async () => {
    const buckets = tenants({ refillPerSecond: 0.1 });
    await run(buckets.for(of('a')).acquire(), 200);
    await run(buckets.for(of('b')).acquire(), 60);
    expect(buckets.stats()).toMatchObject({ active: 1, resting: 1 });
    await clock.advance(250);
    expect(buckets.stats()).toMatchObject({ active: 0, resting: 2 });
    // The clock of a replica may be so far behind.
    await clock.advance(10_390);
    expect(buckets.stats()).toMatchObject({ active: 0, resting: 2 });
    await clock.advance(700);
    expect(buckets.stats()).toMatchObject({ active: 0, resting: 0 });
    await closed(buckets);
  });

  test('that has rested goes on where it was, also if the store has lost it', async () => {
    const buckets = tenants({ refillPerSecond: 0.1 });
    for (let time = 0; time < 10; time += 1) await run(buckets.for(of('a')).acquire());
    await clock.advance(1_000);
    expect(buckets.stats()).toMatchObject({ active: 0, resting: 1 });
    store.keys.delete('ebb:{k:a}');
    const late = buckets.for(of('a')).acquire({ maxWaitMs: 500 });
    await expect(run(late, 1_000)).rejects.toMatchObject({ reason: 'wait-too-long' });
    expect(buckets.for(of('a')).stats().tokens).toBeLessThan(0.3);
    await closed(buckets);
  });

  test('that has rested has the limits that were set, from its first request on', async () => {
    const buckets = tenants();
    await run(buckets.for(of('a')).acquire({ cost: 8 }));
    await run(buckets.for(of('a')).setLimits({ refillPerSecond: 2, capacity: 40 }));
    await clock.advance(1_000);
    expect(buckets.stats()).toMatchObject({ active: 0, resting: 1 });
    expect(buckets.for(of('a')).stats()).toMatchObject({ refillPerSecond: 2, capacity: 40 });
    expect(await run(buckets.for(of('a')).acquire({ cost: 30 }), 15_000)).toMatchObject({ cost: 30 });
    await closed(buckets);
  });

  test('stays while a call uses it, and what its answer says holds', async () => {
    const buckets = tenants({ feedbackScope: 'bucket' });
    const call = new Call(createPolicy({ clock, bucket: buckets, maxRetries: 0 }), of('a'));
    await run(Promise.resolve(prepare(call)));
    await clock.advance(5_000);
    expect(buckets.stats()).toMatchObject({ active: 1 });
    const header = (name: string) => (name === 'retry-after' ? '30' : undefined);
    judge(call, { type: 'response', status: 429, header });
    await clock.advance(4_000);
    expect(buckets.stats()).toMatchObject({ active: 0, resting: 1 });
    expect(buckets.for(of('a')).stats().pausedMs).toBeGreaterThan(24_000);
    await closed(buckets);
  });

  test('has several units', async () => {
    const limits = {
      requests: { refillPerSecond: 1, capacity: 2 },
      tokens: { refillPerSecond: 10, capacity: 100 },
    };
    const buckets = tenants({ limits, refillPerSecond: undefined, capacity: undefined });
    const grant = await run(buckets.for(of('a')).acquire({ cost: { requests: 1, tokens: 80 } }));
    grant.settle({ requests: 1, tokens: 20 });
    await clock.advance(2_000);
    expect((await run(buckets.for(of('a')).acquire({ cost: { tokens: 90 } }))).conforming).toBe(true);
    await closed(buckets);
  });
});

describe('the processes of a fleet', () => {
  test('share each key, and are counted once', async () => {
    const fleet = [tenants(), tenants(), tenants()];
    const asks = fleet.flatMap((buckets) => {
      return [1, 2, 3, 4].map(() => buckets.for(of('a')).acquire({ maxWaitMs: 100 }));
    });
    const fates = await run(Promise.allSettled(asks), 500);
    expect(fates.filter(({ status }) => status === 'fulfilled').length).toBe(10);
    await clock.advance(3_000);
    const third = { processes: 3, share: expect.closeTo(1 / 3, 3) };
    expect(fleet.map((buckets) => buckets.stats())).toMatchObject([third, third, third]);
    await closed(...fleet);
  });

  test('are known to a key that has rested', async () => {
    const fleet = [tenants(), tenants(), tenants()];
    for (const buckets of fleet) await run(buckets.for(of('a')).acquire({ cost: 3 }));
    await clock.advance(3_000);
    expect(fleet[0]?.stats()).toMatchObject({ active: 0, resting: 1 });
    expect(fleet[0]?.for(of('a')).stats().processes).toBe(3);
    await closed(...fleet);
  });

  test('spend their share of each key while the store is away, and tell that once', async () => {
    const fleet = [tenants(), tenants()];
    for (const buckets of fleet) await run(buckets.for(of('a')).acquire());
    await clock.advance(3_000);
    store.health = 'refusing';
    const asks = ['a', 'b', 'c'].flatMap((key) => fleet.map((buckets) => buckets.for(of(key)).acquire()));
    // Each has half of one token a second, from empty.
    await run(Promise.all(asks), 4_500);
    expect(events.map(({ type }) => type)).toEqual(['lost', 'lost']);
    store.health = 'up';
    for (const buckets of fleet) void buckets.for(of('a')).acquire();
    await clock.advance(5_000);
    expect(events.slice(2).map(({ type }) => type)).toEqual(['back', 'back']);
    for (const buckets of fleet) expect(buckets.stats().mode).toBe('shared');
    await closed(...fleet);
  });
});

test('a call for a tenant does not name its process, and one for the fleet does', async () => {
  const named = new Map<string, Set<boolean>>();
  const client: StoreClient = {
    evalsha: (sha1, key, args) => {
      const [who = ''] = args.slice(9);
      named.set(key, (named.get(key) ?? new Set()).add(who !== ''));
      return store.evalsha(sha1, key, args);
    },
    eval: (script, key, args) => store.eval(script, key, args),
  };
  const buckets = tenants({ client });
  for (let time = 0; time < 12; time += 1) await run(buckets.for(of('a')).acquire(), 1_000);
  for (const health of ['refusing', 'up'] as const) {
    store.health = health;
    await run(buckets.for(of('a')).acquire(), 5_000);
  }
  await closed(buckets);
  expect(Object.fromEntries(named)).toEqual({ 'ebb:{k}': new Set([true]), 'ebb:{k:a}': new Set([false]) });
});

test('a clock that is set is told once, not for each key', async () => {
  const buckets = tenants();
  for (const aheadMs of [0, -5_000]) {
    store.aheadMs = aheadMs;
    for (const key of ['a', 'b', 'c']) await run(buckets.for(of(key)).acquire());
  }
  await clock.advance(30_000);
  expect(events.map(({ type }) => type)).toEqual(['step']);
  await closed(buckets);
});

test('1,000 tenants with a request each in one minute: at most 40 calls a second', async () => {
  const buckets = tenants({ refillPerSecond: 10 });
  const random = seededRandom(3);
  for (let tenant = 0; tenant < 1_000; tenant += 1)
    clock.schedule(() => void buckets.for(of(`${tenant}`)).acquire(), random() * 60_000);
  await clock.advance(60_000);
  expect(callsForKeys()).toBe(1_000);
  expect(store.calls.length / 60).toBeLessThanOrEqual(40);
  await closed(buckets);
});

test('1,000 tenants that wait share three timers', async () => {
  // Its network takes no time, and no timers.
  const soon = (wake: () => void): (() => void) => {
    queueMicrotask(wake);
    return () => undefined;
  };
  const client = new ModelStore({ now: () => clock.now(), schedule: soon });
  const buckets = tenants({ client, capacity: 1 });
  const asks = Array.from({ length: 2_000 }, (_, at) => buckets.for(of(`${at % 1_000}`)).acquire());
  const ended = Promise.allSettled(asks);
  await clock.advance(50);
  expect(buckets.stats().active).toBe(1_000);
  expect(clock.pending).toBe(3);
  const [all] = await Promise.all([ended, buckets.close(), clock.advance(50)]);
  expect(all.filter(({ status }) => status === 'fulfilled').length).toBe(1_000);
  expect(clock.pending).toBe(0);
});

test.each<[options: object, message: string]>([
  [{ max: 5 }, 'valkeyBucket has no option "max"'],
  [{ keyOf: 'tenant' }, 'valkeyBucketPerKey: keyOf must be a function, got "tenant"'],
  [{ maxKeys: 0 }, 'valkeyBucketPerKey: maxKeys must be a whole number ≥ 1, got 0'],
])('%j is refused at once', (options, message) => {
  expect(() => tenants(options as never)).toThrow(message);
});
