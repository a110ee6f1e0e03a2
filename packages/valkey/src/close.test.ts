import { beforeEach, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ModelState } from '../test/model.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';

let world: StoreWorld;

beforeEach(() => {
  world = new StoreWorld();
});

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ refillPerSecond: 1, capacity: 20, ...options });

/** The tokens in the store, by its own state. */
function tokensInStore(): number {
  const { units } = JSON.parse(world.store.keys.get('ebb:{k}') ?? '') as ModelState;
  const nowUs = world.clock.now() * 1_000 + 6e13;
  return Math.min(20, (nowUs - (units[0]?.empty ?? 0)) / 1e6);
}

test("close with 'drain' serves the waiting requests, and then returns the rest", async () => {
  const { clock } = world;
  const bucket = bucketOf({ refillPerSecond: 10 });
  await world.run(bucket.acquire({ cost: 20 }), 1);
  const waits = bucket.acquire({ cost: 10 });
  let isClosed = false;
  void bucket.close({ waiting: 'drain' }).then(() => {
    isClosed = true;
  });
  await clock.advance(500);
  expect(isClosed).toBe(false);
  await clock.advance(600);
  expect(await world.fateOf(waits)).toMatchObject({ cost: 10 });
  expect(isClosed).toBe(true);
  expect(bucket.stats().leased).toBe(0);
  expect(clock.pending).toBe(0);
});

test.each([0.25, 50, 100])(
  'leases and refunds are given back before close resolves (%i ms away)',
  async (latencyMs) => {
    const { clock, store } = world;
    const bucket = bucketOf();
    const grant = await world.run(bucket.acquire({ cost: 6 }), 10);
    store.latencyMs = latencyMs;
    grant.settle(2);
    const startMs = clock.now();
    const closed = bucket.close().then(() => [clock.now() - startMs, tokensInStore()] as const);
    const [tookMs, tokens] = await world.run(closed);
    expect(tookMs).toBeLessThanOrEqual(500);
    expect(tokens).toBeGreaterThan(17.9);
    expect(clock.pending).toBe(0);
  },
);

test.each(['refusing', 'silent'] as const)(
  'close tells what it cannot give back to a store that is %s',
  async (health) => {
    const { clock, store, events } = world;
    const bucket = bucketOf();
    const grant = await world.run(bucket.acquire({ cost: 2 }), 1_000);
    store.health = health;
    grant.settle(1);
    await world.run(bucket.close(), 500);
    expect(events).toMatchObject([{ type: 'lost' }]);
    expect(clock.pending).toBe(0);
  },
);
