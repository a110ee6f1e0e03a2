import { beforeEach, describe, expect, test } from 'vitest';
import { BusyFleet, CAPACITY, RATE, StoreWorld } from '../test/busy-fleet.ts';

let world: StoreWorld;

beforeEach(() => {
  world = new StoreWorld();
});

describe('a store that loses data', () => {
  test('gets the script again after SCRIPT FLUSH', async () => {
    const bucket = world.bucket();
    for (let round = 0; round < 3; round += 1) {
      world.store.forgetScripts();
      await world.run(bucket.acquire({ cost: 20 }), 60);
    }
    expect(world.events).toEqual([]);
  });

  test('gets the state of the bucket from the processes: no burst', async () => {
    const fleet = new BusyFleet(world, 4);
    for (let round = 0; round < 10; round += 1) {
      await world.clock.advance(500);
      world.store.keys.clear();
    }
    await world.clock.advance(500);
    await fleet.end();
    // The first process does not know the last leases of the others; they hand them in with their next calls.
    expect(fleet.worst).toBeLessThanOrEqual(RATE * 0.1);
    expect(fleet.count(0, 5_500)).toBeLessThanOrEqual(CAPACITY + RATE * 5.5);
    expect(fleet.count(0, 5_500)).toBeGreaterThan(RATE * 5.5 * 0.95);
  });

  test('that loses the last writes, as after a failover: no burst', async () => {
    const fleet = new BusyFleet(world, 4);
    for (let round = 0; round < 10; round += 1) {
      const kept = world.store.keys.get('ebb:{k}') ?? '';
      await world.clock.advance(300);
      world.store.keys.set('ebb:{k}', kept);
    }
    await fleet.end();
    expect(fleet.worst).toBeLessThanOrEqual(RATE * 0.1);
    expect(fleet.count(0, 3_000)).toBeLessThanOrEqual(CAPACITY + RATE * 3);
  });

  test('goes on when its clock is set ahead or back', async () => {
    const fleet = new BusyFleet(world, 2);
    for (const aheadMs of [3_600_000, -3_600_000, 0, 500]) {
      await world.clock.advance(1_000);
      world.store.aheadMs = aheadMs;
    }
    await world.clock.advance(1_000);
    await fleet.end();
    expect(fleet.count(0, 5_000)).toBeLessThanOrEqual(RATE * 5 + 2 * CAPACITY);
    expect(fleet.count(4_000, 5_000)).toBeGreaterThan(RATE * 0.9);
    // Each of the two processes tells it.
    const words = world.events.map((event) => event.type === 'step' && event.message);
    const steps = ['ahead by 3600.00 s', 'back by 7199.99 s', 'ahead by 3600.00 s'];
    expect(words).toEqual(steps.flatMap((step) => Array(2).fill(`store clock stepped ${step}`)));
  });
});
