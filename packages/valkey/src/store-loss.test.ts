import { expect, test } from 'vitest';
import { BusyFleet, CAPACITY, RATE, StoreWorld } from '../test/busy-fleet.ts';

test.each([
  ['the key', 0.95],
  ['the last writes, as after a failover', 0.7],
])('a store that loses %s gets the state of the bucket from the processes: no burst', async (what, used) => {
  const world = new StoreWorld();
  const fleet = new BusyFleet(world, 4);
  for (let round = 0; round < 10; round += 1) {
    const kept = world.store.keys.get('ebb:{k}') ?? '';
    await world.clock.advance(500);
    if (what === 'the key') world.store.keys.clear();
    else world.store.keys.set('ebb:{k}', kept);
  }
  await world.clock.advance(500);
  await fleet.end();
  // The first process does not know the last leases of the others; they hand them in with their next calls.
  expect(fleet.worst).toBeLessThanOrEqual(RATE * 0.1);
  expect(fleet.count(0, 5_500)).toBeLessThanOrEqual(CAPACITY + RATE * 5.5);
  expect(fleet.count(0, 5_500)).toBeGreaterThan(RATE * 5.5 * used);
});

test('each process tells that the clock of the store is set', async () => {
  const world = new StoreWorld();
  const fleet = new BusyFleet(world, 2);
  for (const aheadMs of [3_600_000, -3_600_000, 0, 500]) {
    await world.clock.advance(1_000);
    world.store.aheadMs = aheadMs;
  }
  await world.clock.advance(1_000);
  await fleet.end();
  const words = world.events.map((event) => event.type === 'step' && event.message);
  const steps = ['ahead by 3600.00 s', 'back by 7199.99 s', 'ahead by 3600.00 s'];
  expect(words).toEqual(steps.flatMap((step) => Array(2).fill(`store clock stepped ${step}`)));
});
