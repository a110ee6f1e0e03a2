import type { VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { BusyFleet, StoreWorld } from '../test/busy-fleet.ts';
import { LoneLease, reply } from '../test/lone-lease.ts';
import type { ModelStore } from '../test/model-store.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';
import type { StoreCall } from './store-call.ts';

let world: StoreWorld;
let clock: VirtualClock;
let store: ModelStore;

beforeEach(() => {
  world = new StoreWorld();
  ({ clock, store } = world);
});

const LIMIT = { refillPerSecond: 100, capacity: 20 };

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ ...LIMIT, ...options });

describe('a pause', () => {
  test('that one process begins holds for the whole fleet, and ends without a burst', async () => {
    const fleet = new BusyFleet(world, 3, LIMIT);
    await clock.advance(1_000);
    const pausedAtMs = clock.now();
    fleet.buckets[0]?.pauseFor(3_000);
    await clock.advance(6_000);
    // That process stops at once, the others with their next call to the store.
    expect(fleet.count(pausedAtMs + 200, pausedAtMs + 3_000)).toBe(0);
    const first = fleet.grants.find(({ atMs }) => atMs > pausedAtMs + 3_000)?.atMs ?? 0;
    expect(first - pausedAtMs).toBeLessThan(3_000 + 600 + 100);
    expect(fleet.count(first, first + 500)).toBeLessThanOrEqual(51);
    expect(fleet.modes).toEqual(['shared', 'shared', 'shared']);
    await fleet.end();
  });

  test('is in the stats, and reaches a process in which a request waits', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(5_000);
    await clock.advance(1);
    const waits = other.acquire();
    await clock.advance(2);
    expect(other.stats().pausedMs).toBeGreaterThan(4_900);
    expect(one.stats()).toMatchObject({ idle: false });
    const late = other.acquire({ maxWaitMs: 1_000 });
    expect(await world.fateOf(late)).toMatchObject({ reason: 'wait-too-long' });
    expect(await world.fateOf(waits, 5_100)).toMatchObject({ cost: 1 });
  });

  test('ends for the whole fleet when one process ends it, and leaves the bucket empty', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(60_000);
    await clock.advance(1);
    const [here, there] = [one.acquire({ cost: 5 }), other.acquire({ cost: 5 })];
    await clock.advance(2_000);
    expect(other.stats().pausedMs).toBeGreaterThan(50_000);
    one.resume();
    expect(one.stats().pausedMs).toBe(0);
    // From empty: five tokens at 100 a second.
    expect(await world.fateOf(here, 60)).toMatchObject({ waitedMs: expect.closeTo(2_050, -1) });
    expect(await world.fateOf(there, 1_000)).toMatchObject({ cost: 5 });
    expect(other.stats().pausedMs).toBe(0);
  });

  test('that another process began later is kept', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(10_000);
    await clock.advance(5);
    one.resume();
    other.pauseFor(5_000);
    await clock.advance(5);
    const ask = one.acquire();
    expect(await world.fateOf(ask, 4_900)).toBe('waits');
    expect(await world.fateOf(ask, 1_200)).toMatchObject({ cost: 1 });
    // There is none any more: no call.
    const { calls } = one.stats();
    one.resume();
    expect(one.stats().calls).toBe(calls);
  });

  test.each<[how: string, pauseMs: number, resumes: boolean]>([
    ['began and was ended', 60_000, true],
    ['ran out', 500, false],
  ])('that %s during an outage is never sent', async (_, pauseMs, resumes) => {
    const bucket = bucketOf({ localShare: 1 });
    await world.run(bucket.acquire(), 5);
    store.health = 'refusing';
    const ask = bucket.acquire({ cost: 15 });
    await clock.advance(50);
    bucket.pauseFor(pauseMs);
    if (resumes) bucket.resume();
    expect(await world.fateOf(ask, 1_000)).toMatchObject({ cost: 15 });
    store.health = 'up';
    void bucket.acquire();
    await clock.advance(5_000);
    expect(bucket.stats()).toMatchObject({ mode: 'shared', pausedMs: 0 });
    expect(store.calls).not.toContain('pause');
    expect(store.calls).not.toContain('unpause');
  });

  test('that the store did not receive is sent again, and holds for the others', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    await world.run(one.acquire(), 5);
    store.health = 'refusing';
    one.pauseFor(60_000);
    await clock.advance(50);
    expect([store.calls.includes('pause'), one.stats().mode]).toEqual([false, 'local']);
    store.health = 'up';
    void one.acquire();
    await clock.advance(5_000);
    void other.acquire();
    await clock.advance(5);
    expect(other.stats().pausedMs).toBeGreaterThan(50_000);
  });

  test('is not ended by a reply that the store gave before it', async () => {
    const bucket = bucketOf();
    await world.run(bucket.acquire({ cost: 20 }), 5);
    // The lease is granted before the pause, and its reply comes after that to the pause.
    const factors = [1, 20];
    store.latencyMs = 5;
    store.jitter = () => factors.shift() ?? 1;
    const ask = bucket.acquire({ cost: 2 });
    await clock.advance(7);
    bucket.pauseFor(5_000);
    await clock.advance(20);
    expect(store.calls.slice(-2)).toEqual(['lease', 'pause']);
    await clock.advance(200);
    expect(bucket.stats().pausedMs).toBeGreaterThan(4_000);
    expect(await world.fateOf(ask)).toBe('waits');
    expect(await world.fateOf(ask, 5_000)).toMatchObject({ cost: 2 });
  });

  test('that another process begins is learned of after an own one has ended', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(100);
    await clock.advance(1_000);
    other.pauseFor(5_000);
    await clock.advance(5);
    expect(await world.fateOf(one.acquire(), 5)).toBe('waits');
    expect(one.stats().pausedMs).toBeGreaterThan(4_000);
  });
});

test('a pause that is ended while its call is under way is not sent again when that fails', () => {
  const lease = new LoneLease();
  lease.step(0, undefined, { call: lease.peek(0), sentAtMs: 0, reply: reply() });
  lease.pause(60_000, 0);
  const [call] = lease.step(0).calls;
  expect(call).toMatchObject({ mode: 'pause', durationMs: 60_000 });
  lease.tell({ type: 'unpause' }, 10);
  const { calls } = lease.step(20, undefined, {
    call: call as StoreCall,
    sentAtMs: 0,
    error: new Error('gone'),
  });
  // The store is away for an attempt.
  expect(calls).toEqual([]);
  const again = lease.step(150).calls[0] as StoreCall;
  expect(again.mode).toBe('resume');
  const next = lease.step(151, undefined, { call: again, sentAtMs: 150, reply: reply() }).calls;
  const later = next.length > 0 ? next : lease.step(152).calls;
  expect(later.map(({ mode }) => mode)).toEqual(['unpause']);
  expect(lease.step(153).calls).toEqual([]);
});

test('a pause that was ended meanwhile is not sent again when its call fails after that of its end', () => {
  const lease = new LoneLease();
  lease.step(0, undefined, { call: lease.peek(0), sentAtMs: 0, reply: reply() });
  lease.pause(60_000, 0);
  const [call] = lease.step(0).calls as [StoreCall];
  lease.tell({ type: 'unpause' }, 10);
  const [end] = lease.step(10).calls as [StoreCall];
  expect(end.mode).toBe('unpause');
  lease.step(20, undefined, { call: end, sentAtMs: 10, reply: reply() });
  const { calls, turns } = lease.step(30, undefined, { call, sentAtMs: 0, error: new Error('gone') });
  expect([calls, turns, lease.step(31).calls]).toEqual([[], [], []]);
});
