import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';

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
    const response = {
      type: 'response',
      status: 429,
      header: (name: string) => (name === 'retry-after' ? '3' : undefined),
    } as const;
    const [paused] = buckets as [ValkeyBucket];
    paused.observe?.(
      response,
      await Promise.race([paused.acquire({ retry: true }), clock.advance(50) as never]),
    );
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
    const first = bucket.acquire();
    await clock.advance(5);
    await first;
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
    expect(bucket.stats()).toMatchObject({ mode: 'shared', pausedMs: 0 });
  });
});
