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

test('close returns leased tokens and refuses every request', async () => {
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
  expect(tokensInStore()).toBeGreaterThan(15.9);
});

test('close during a call returns what that leases', async () => {
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

test('what is settled after close is sent', async () => {
  const { clock } = world;
  const bucket = bucketOf();
  const grant = await world.run(bucket.acquire({ cost: 10 }), 1_000);
  await world.run(bucket.close(), 500);
  const before = tokensInStore();
  grant.settle(2);
  await clock.advance(500);
  expect(tokensInStore() - before).toBeGreaterThan(7.9);
  expect(clock.pending).toBe(0);
});

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
