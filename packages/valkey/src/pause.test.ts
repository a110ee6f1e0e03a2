import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';
import { FleetPause } from './pause.ts';

let world: StoreWorld;

beforeEach(() => {
  world = new StoreWorld();
});

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ refillPerSecond: 100, capacity: 20, ...options });

describe('a pause', () => {
  test('that one process begins holds for the whole fleet, and ends without a burst', async () => {
    const { clock } = world;
    const buckets = [bucketOf(), bucketOf(), bucketOf()];
    const times: number[] = [];
    const stop = new AbortController();
    const busy = buckets.flatMap((bucket) =>
      Array.from({ length: 5 }, async () => {
        while (times.length < 10_000) {
          await bucket.acquire({ signal: stop.signal });
          times.push(clock.now());
        }
      }),
    );
    await clock.advance(1_000);
    const header = (name: string) => (name === 'retry-after' ? '3' : undefined);
    const [paused] = buckets as [ValkeyBucket];
    const grant = await world.run(paused.acquire({ retry: true }), 50);
    paused.observe?.({ type: 'response', status: 429, header }, grant);
    const pausedAtMs = clock.now();
    await clock.advance(6_000);
    stop.abort(new Error('done'));
    await Promise.allSettled(busy);
    // That process stops at once, the others with their next call to the store.
    const early = times.filter((at) => at > pausedAtMs + 200 && at < pausedAtMs + 3_000);
    expect(early).toEqual([]);
    const first = times.filter((at) => at > pausedAtMs + 3_000)[0] ?? 0;
    expect(first - pausedAtMs).toBeLessThan(3_000 + 600 + 100);
    expect(times.filter((at) => at >= first && at < first + 500).length).toBeLessThanOrEqual(51);
    expect(buckets.map((bucket) => bucket.stats().mode)).toEqual(['shared', 'shared', 'shared']);
  });

  test('is in the stats, and reaches a process in which a request waits', async () => {
    const { clock } = world;
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(5_000);
    await clock.advance(1);
    const waits = other.acquire();
    await clock.advance(2);
    expect(other.stats().pausedMs).toBeGreaterThan(4_900);
    expect(one.stats()).toMatchObject({ idle: false });
    expect(await world.fateOf(other.acquire({ maxWaitMs: 1_000 }))).toMatchObject({
      reason: 'wait-too-long',
    });
    await clock.advance(5_100);
    expect(await world.fateOf(waits)).toMatchObject({ cost: 1 });
  });

  test('ends for the whole fleet when one process ends it, and leaves the bucket empty', async () => {
    const { clock } = world;
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(60_000);
    await clock.advance(1);
    const [here, there] = [one.acquire({ cost: 5 }), other.acquire({ cost: 5 })];
    await clock.advance(2_000);
    expect(other.stats().pausedMs).toBeGreaterThan(50_000);
    one.resume();
    expect(one.stats().pausedMs).toBe(0);
    await clock.advance(60);
    // From empty: five tokens at 100 a second.
    expect(await world.fateOf(here)).toMatchObject({ waitedMs: expect.closeTo(2_050, -1) });
    await clock.advance(1_000);
    expect(await world.fateOf(there)).toMatchObject({ cost: 5 });
    expect(other.stats().pausedMs).toBe(0);
  });

  test('resume() without one makes no call to the store', async () => {
    const { clock, store } = world;
    store.health = 'refusing';
    const bucket = bucketOf({ localShare: 0.5 });
    void bucket.acquire();
    await clock.advance(60_000);
    const { calls } = bucket.stats();
    bucket.resume();
    expect(bucket.stats().calls).toBe(calls);
  });

  test('that another process began later is kept', async () => {
    const { clock } = world;
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(10_000);
    await clock.advance(5);
    one.resume();
    other.pauseFor(5_000);
    await clock.advance(5);
    const ask = one.acquire();
    await clock.advance(4_900);
    expect(await world.fateOf(ask)).toBe('waits');
    await clock.advance(1_200);
    expect(await world.fateOf(ask)).toMatchObject({ cost: 1 });
    one.resume();
    expect(await world.fateOf(one.acquire())).not.toBeInstanceOf(Error);
  });

  test('that began and ended during an outage is never sent', async () => {
    const { clock, store } = world;
    const bucket = bucketOf({ localShare: 1 });
    await world.run(bucket.acquire(), 5);
    store.health = 'refusing';
    bucket.pauseFor(60_000);
    await clock.advance(50);
    const ask = bucket.acquire();
    bucket.resume();
    await clock.advance(50);
    expect(await world.fateOf(ask)).toMatchObject({ cost: 1 });
    store.health = 'up';
    await clock.advance(5_000);
    expect(store.calls).not.toContain('pause');
    expect(store.calls).not.toContain('unpause');
    expect(bucket.stats()).toMatchObject({ mode: 'shared', pausedMs: 0 });
  });

  test('that ran out during an outage is never sent', async () => {
    const { clock, store } = world;
    const bucket = bucketOf({ localShare: 1 });
    await Promise.all([bucket.acquire(), clock.advance(5)]);
    store.health = 'refusing';
    const ask = bucket.acquire({ cost: 15 });
    await clock.advance(50);
    bucket.pauseFor(500);
    await clock.advance(1_000);
    expect(await world.fateOf(ask)).toMatchObject({ cost: 15 });
    store.health = 'up';
    void bucket.acquire();
    await clock.advance(5_000);
    expect(bucket.stats().mode).toBe('shared');
    expect(store.calls).not.toContain('pause');
  });

  test('that the store did not receive is sent again, and holds for the others', async () => {
    const { clock, store } = world;
    const [one, other] = [bucketOf(), bucketOf()];
    await Promise.all([one.acquire(), clock.advance(5)]);
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
    const { clock, store } = world;
    const bucket = bucketOf();
    await Promise.all([bucket.acquire({ cost: 20 }), clock.advance(5)]);
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
    await clock.advance(5_000);
    expect(await world.fateOf(ask)).toMatchObject({ cost: 2 });
  });

  test('that another process begins is learned of after an own one has ended', async () => {
    const { clock } = world;
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(100);
    await clock.advance(1_000);
    other.pauseFor(5_000);
    await clock.advance(5);
    const ask = one.acquire();
    await clock.advance(5);
    expect(one.stats().pausedMs).toBeGreaterThan(4_000);
    expect(await world.fateOf(ask)).toBe('waits');
  });
});

test('a pause that is ended while its call is under way is not sent again when that fails', () => {
  const pause = new FleetPause();
  pause.begin(60_000);
  const call = pause.next(true, 0);
  expect(call).toEqual({ mode: 'pause', durationMs: 60_000 });
  pause.end(10);
  pause.answered(call as never, undefined, true);
  expect(pause.next(true, 20)).toEqual({ mode: 'unpause' });
  expect(pause.next(true, 20)).toBeUndefined();
});

test('of two replies that overtake each other the newer one counts', () => {
  const pause = new FleetPause();
  const replies = [
    { pausedMs: 5_000, orderUs: 20_000 },
    { pausedMs: 0, orderUs: 10_000 },
  ];
  for (const reply of replies) pause.observe(reply as never, 100);
  expect(pause.untilMs).toBe(5_100);
});
