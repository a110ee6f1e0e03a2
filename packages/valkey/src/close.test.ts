import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';

let world: StoreWorld;

beforeEach(() => {
  world = new StoreWorld();
});

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ refillPerSecond: 1, capacity: 20, ...options });

describe('closing', () => {
  test('returns leased tokens and refuses every request', async () => {
    const { clock } = world;
    const bucket = bucketOf();
    await world.run(bucket.acquire({ cost: 4 }), 1);
    const waits = bucket.acquire({ cost: 20 });
    await clock.advance(1);
    expect(bucket.stats().leased).toBeGreaterThan(0);
    const closed = bucket.close();
    expect(await world.fateOf(waits)).toMatchObject({ reason: 'closed' });
    await clock.advance(2);
    await closed;
    await bucket.close();
    expect(bucket.stats().leased).toBe(0);
    expect(await world.fateOf(bucket.acquire())).toMatchObject({ reason: 'closed' });
    expect(bucket.tryAcquire()).toBeUndefined();
    expect(clock.pending).toBe(0);
    const other = bucketOf();
    expect(await world.fateOf(other.acquire({ cost: 16 }), 1)).toMatchObject({ cost: 16 });
  });

  test('during a call returns what it leases', async () => {
    const { clock, store } = world;
    const bucket = bucketOf();
    const waits = bucket.acquire({ cost: 20 }).catch((error: Error) => error);
    await Promise.resolve();
    const closed = bucket.close();
    await clock.advance(3);
    await closed;
    expect(await waits).toMatchObject({ reason: 'closed' });
    expect(store.calls).toEqual(['lease', 'refund']);
  });

  test("with 'drain' serves the waiting requests first", async () => {
    const { clock } = world;
    const bucket = bucketOf({ refillPerSecond: 10 });
    const first = bucket.acquire({ cost: 20 });
    const waits = bucket.acquire({ cost: 10 });
    await clock.advance(1);
    await first;
    let isClosed = false;
    void bucket.close({ waiting: 'drain' }).then(() => {
      isClosed = true;
    });
    expect(await world.fateOf(bucket.acquire())).toMatchObject({ reason: 'closed' });
    expect(bucket.tryAcquire()).toBeUndefined();
    await clock.advance(500);
    expect(isClosed).toBe(false);
    await clock.advance(600);
    expect(await world.fateOf(waits)).toMatchObject({ cost: 10 });
    expect(isClosed).toBe(true);
    expect(bucket.stats().leased).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("with 'reject' after 'drain' refuses the rest", async () => {
    const { clock } = world;
    const bucket = bucketOf();
    const first = bucket.acquire({ cost: 20 });
    const waits = bucket.acquire({ cost: 20 });
    await clock.advance(1);
    await first;
    const drained = bucket.close({ waiting: 'drain' });
    await clock.advance(10);
    const closed = bucket.close();
    expect(await world.fateOf(waits)).toMatchObject({ reason: 'closed' });
    await clock.advance(5);
    await Promise.all([drained, closed]);
    expect(clock.pending).toBe(0);
  });
});
