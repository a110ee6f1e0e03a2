import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import { beforeEach, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ModelStore } from '../test/model-store.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';

// A process in which no request waits learns what has changed in the store.

let world: StoreWorld;
let clock: VirtualClock;
let store: ModelStore;

beforeEach(() => {
  world = new StoreWorld();
  ({ clock, store } = world);
});

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ refillPerSecond: 10, capacity: 10, random: seededRandom(1), ...options });

/** Asks every 100 ms; returns how many requests were granted. */
async function poll(times: number, ask: () => Promise<unknown>): Promise<number> {
  let granted = 0;
  for (let time = 0; time < times; time += 1) {
    ask().then(
      () => {
        granted += 1;
      },
      () => {},
    );
    await clock.advance(100);
  }
  return granted;
}

test.each<[how: string, nonConforming: 'delay' | 'reject', ask: (bucket: ValkeyBucket) => Promise<unknown>]>([
  ['with a deadline', 'delay', (bucket) => bucket.acquire({ maxWaitMs: 500 })],
  ['by tryAcquire', 'delay', async (bucket) => bucket.tryAcquire() ?? Promise.reject()],
  ["with nonConforming 'reject'", 'reject', (bucket) => bucket.acquire()],
])('that another process has ended the pause (%s)', async (_, nonConforming, ask) => {
  const [one, other] = [bucketOf({ nonConforming }), bucketOf({ nonConforming })];
  one.tryAcquire();
  other.tryAcquire();
  await clock.advance(1_000);
  one.pauseFor(600_000);
  await clock.advance(10);
  // It learns of the pause.
  await poll(20, () => ask(other));
  expect(other.stats().pausedMs).toBeGreaterThan(500_000);
  const calls = store.calls.length;
  expect(await poll(20, () => ask(other))).toBe(0);
  expect(store.calls.length - calls).toBeLessThanOrEqual(4);
  one.resume();
  await poll(12, () => ask(other));
  expect(await poll(20, () => ask(other))).toBeGreaterThan(5);
  await world.run(Promise.all([one.close(), other.close()]), 660_000);
  expect(clock.pending).toBe(0);
});

test('that others have left the queue', async () => {
  const [one, other] = [bucketOf(), bucketOf()];
  const stop = new AbortController();
  // Each request costs the whole capacity, so the queue is long.
  for (let count = 0; count < 8; count += 1) one.acquire({ cost: 10, signal: stop.signal }).catch(() => {});
  await clock.advance(10);
  expect(await poll(1, () => other.acquire({ cost: 10, maxWaitMs: 1_500 }))).toBe(0);
  expect(other.stats().refused).toBe(1);
  stop.abort(new Error('no longer'));
  await poll(11, () => other.acquire({ cost: 0.1, maxWaitMs: 300 }));
  expect(await poll(10, () => other.acquire({ cost: 0.1, maxWaitMs: 300 }))).toBeGreaterThanOrEqual(9);
});

test('a waiting request causes one call for its tokens, though others cost fractions of a token', async () => {
  const [one, other] = [bucketOf(), bucketOf()];
  for (let count = 0; count < 4; count += 1) void one.acquire({ cost: 10 });
  await clock.advance(10);
  // After these have left, the sum of the costs is rounded to a little less than the last cost.
  const stop = new AbortController();
  for (const cost of [0.29, 0.13, 0.07]) other.acquire({ cost, signal: stop.signal }).catch(() => {});
  const last = other.acquire({ cost: 0.07 * 3 });
  await clock.advance(10);
  stop.abort(new Error('no longer'));
  const { calls } = other.stats();
  await clock.advance(500);
  expect(other.stats().calls - calls).toBeLessThanOrEqual(6);
  expect((await world.run(last, 3_000)).waitedMs).toBeLessThan(3_100);
});

test('a request whose tokens come after its deadline is refused after one call, at any fraction of a millisecond', async () => {
  for (let at = 0; at < 30; at += 1) {
    const [one, other] = [bucketOf({ key: `k${at}` }), bucketOf({ key: `k${at}` })];
    await clock.advance(Math.sqrt(2 + at));
    for (let count = 0; count < 4; count += 1) void one.acquire({ cost: 10 });
    await clock.advance(Math.sqrt(3));
    const late = other.acquire({ cost: 1, maxWaitMs: 100 * Math.SQRT2 });
    expect(await world.fateOf(late, 50)).toMatchObject({ reason: 'wait-too-long' });
    expect(other.stats().calls).toBe(1);
  }
});
