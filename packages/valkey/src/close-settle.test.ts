import { beforeEach, describe, expect, test } from 'vitest';
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

describe('a bucket that closes', () => {
  test.each([0.25, 50, 100])(
    'has given back its leases and refunds before close resolves (%i ms away)',
    async (latencyMs) => {
      const { clock, store } = world;
      const bucket = bucketOf();
      const grant = await world.run(bucket.acquire({ cost: 6 }), 10);
      store.latencyMs = latencyMs;
      grant.settle(2);
      let closedAtMs = Number.NaN;
      const startMs = clock.now();
      void bucket.close().then(() => {
        closedAtMs = clock.now();
        expect(tokensInStore()).toBeGreaterThan(17.9);
      });
      await clock.advance(2_000);
      expect(closedAtMs - startMs).toBeLessThanOrEqual(500);
      expect(tokensInStore()).toBeGreaterThan(17.9);
      expect(clock.pending).toBe(0);
    },
  );

  test('sends what is settled after close, or tells that it is lost', async () => {
    const { clock, events } = world;
    const bucket = bucketOf();
    const grant = await world.run(bucket.acquire({ cost: 10 }), 1_000);
    await world.run(bucket.close(), 500);
    const before = tokensInStore();
    grant.settle(2);
    await clock.advance(500);
    const isBack = tokensInStore() - before > 7.9;
    expect(isBack || events.length > 0).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test.each(['refusing', 'silent'] as const)(
    'tells what it cannot give back to a store that is %s',
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
});
