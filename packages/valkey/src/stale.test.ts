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
