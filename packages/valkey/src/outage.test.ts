import { beforeEach, describe, expect, test } from 'vitest';
import { BusyFleet, CAPACITY, RATE, StoreWorld } from '../test/busy-fleet.ts';
import { type Health, ModelStore } from '../test/model-store.ts';

let world: StoreWorld;

beforeEach(() => {
  world = new StoreWorld();
});

const healths: readonly Health[] = ['refusing', 'silent', 'frozen'];

describe.each(healths)('while the store is %s', (health) => {
  test("'local': each process spends its share, starting from empty", async () => {
    const fleet = new BusyFleet(world, 4);
    await world.clock.advance(2_000);
    expect(fleet.modes).toEqual(Array(4).fill('shared'));
    world.store.health = health;
    const lostMs = world.clock.now();
    await world.clock.advance(5_000);
    expect(fleet.modes).toEqual(Array(4).fill('local'));
    // No request waited longer than the time limit of a call, and the fleet kept to the rate.
    const during = fleet.count(lostMs, world.clock.now());
    expect(during).toBeLessThanOrEqual(RATE * 5 + 1);
    expect(during).toBeGreaterThan(RATE * (5 - 0.35));
    for (const of of [0, 1, 2, 3])
      expect(fleet.count(lostMs + 1_000, world.clock.now(), of)).toBeCloseTo(RATE, -1);
    const lost = { type: 'lost', mode: 'local', share: 0.25, key: 'ebb:{k}' };
    expect(world.events).toMatchObject(Array(4).fill(lost));

    world.store.health = 'up';
    const upMs = world.clock.now();
    await world.clock.advance(3_000);
    expect(fleet.modes).toEqual(Array(4).fill('shared'));
    expect(fleet.count(upMs, world.clock.now())).toBeGreaterThan(RATE * 3 - 60);
    expect(world.events.slice(4)).toMatchObject(Array(4).fill({ type: 'back' }));
    expect(fleet.errors).toEqual([]);
    await fleet.end();
    // Leases are charged in advance, so only tokens that idled in a process can come early.
    expect(fleet.worst).toBeLessThanOrEqual(1);
    expect(world.clock.pending).toBe(0);
  });
});

describe('a lost store', () => {
  test('for one process alone: the others go on, and it pays back what it spent beside them', async () => {
    const fleet = new BusyFleet(world, 3);
    const connection = new ModelStore(world.clock, world.store.keys);
    const cutOff = new BusyFleet(world, 1, { client: connection });
    await world.clock.advance(1_000);
    connection.health = 'refusing';
    await world.clock.advance(3_000);
    expect([...fleet.modes, ...cutOff.modes]).toEqual(['shared', 'shared', 'shared', 'local']);
    expect(cutOff.count(1_000, 4_000)).toBeLessThanOrEqual((RATE / 4) * 3);
    expect(fleet.count(2_000, 4_000)).toBeGreaterThan(RATE * 1.9);
    connection.health = 'up';
    await world.clock.advance(600);
    expect(cutOff.modes).toEqual(['shared']);
    await world.clock.advance(2_000);
    // It pays back at most its share of the capacity, so that a long outage of one process does not starve the others.
    const count = fleet.count(4_000, 6_000) + cutOff.count(4_000, 6_000);
    expect(count).toBeLessThanOrEqual(RATE * 2);
    expect(count).toBeGreaterThan(RATE * 2 - CAPACITY);
    await Promise.all([fleet.end(), cutOff.end()]);
  });
});
