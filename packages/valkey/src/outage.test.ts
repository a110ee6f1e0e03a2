import { beforeEach, describe, expect, test, vi } from 'vitest';
import { BusyFleet, CAPACITY, RATE, StoreWorld } from '../test/busy-fleet.ts';
import { type Health, ModelStore } from '../test/model-store.ts';
import type { StoreClient } from './store-client.ts';

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

  test.each([
    ['open', { conforming: false }],
    ['closed', { name: 'NotSentError', reason: 'unavailable' }],
  ] as const)("'%s': the fate of every request is %j", async (onStoreError, fate) => {
    const bucket = world.bucket({ onStoreError });
    await world.run(bucket.acquire({ cost: CAPACITY }), 500);
    world.store.health = health;
    const early = Array.from({ length: 100 }, () => world.fateOf(bucket.acquire(), 300));
    expect(await Promise.all(early)).toMatchObject(Array(100).fill(fate));
    expect(await world.fateOf(bucket.acquire())).toMatchObject(fate);
    expect(bucket.stats().mode).toBe(onStoreError);
    expect(bucket.tryAcquire(5) !== undefined).toBe(onStoreError === 'open');
    world.store.health = 'up';
    void world.fateOf(bucket.acquire());
    await world.clock.advance(2_000);
    expect(await world.fateOf(bucket.acquire(), 20)).toMatchObject({ conforming: true });
    await world.run(bucket.close());
  });

  test('close ends in time', async () => {
    const bucket = world.bucket({ localShare: 0.5 });
    await world.run(bucket.acquire({ cost: 10 }), 5);
    world.store.health = health;
    const waits = world.fateOf(bucket.acquire({ cost: CAPACITY }));
    expect(await world.fateOf(bucket.close(), 600)).toBe(undefined);
    expect(await waits).toMatchObject({ reason: 'closed' });
    expect(world.clock.pending).toBe(0);
  });
});

describe('a lost store', () => {
  test('is called again by each process at a random time, and not by an idle one', async () => {
    let seed = 0;
    const random = (): number => {
      seed = (seed + 0.37) % 1;
      return seed;
    };
    const fleet = new BusyFleet(world, 8, { random });
    await world.clock.advance(1_000);
    world.store.health = 'refusing';
    await world.clock.advance(3_000);
    world.store.health = 'up';
    const { length: before } = world.store.calls;
    await world.clock.advance(10);
    expect(world.store.calls.length - before).toBeLessThan(4);
    await world.clock.advance(3_000);
    expect(world.store.calls.slice(before).filter((mode) => mode === 'resume').length).toBe(8);
    await fleet.end();

    const quiet = world.bucket({ localShare: 1 });
    world.store.health = 'refusing';
    await world.run(quiet.acquire(), 20_000);
    const { calls } = quiet.stats();
    await world.clock.advance(600_000);
    expect(quiet.stats().calls).toBe(calls);
    expect(world.clock.pending).toBe(0);
  });

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

  test('that replies late: what it leased then goes back to it', async () => {
    const quota = { refillPerSecond: 0.001, capacity: 100, onStoreError: 'closed' } as const;
    const bucket = world.bucket(quota);
    await world.run(bucket.acquire({ cost: 10 }), 10);
    world.store.latencyMs = 150;
    const ask = world.fateOf(bucket.acquire({ cost: 40 }), 290);
    await world.clock.advance(290);
    world.store.latencyMs = 1;
    await world.clock.advance(5_000);
    expect(await ask).toMatchObject({ reason: 'unavailable' });
    expect(bucket.stats().mode).toBe('shared');
    const other = world.bucket(quota);
    await Promise.all([other.tryAcquire(), world.clock.advance(5)]);
    expect(other.stats().tokens).toBeCloseTo(90, 0);
  });

  const evil = (): never => {
    throw new Error('closed');
  };
  test.each<[how: string, client: StoreClient, message: string]>([
    ['replies as another script', { evalsha: async () => 'OK', eval: async () => 'OK' }, '"OK"'],
    ['is a client that throws', { evalsha: evil, eval: evil }, 'closed'],
  ])('that %s: an error, no hang', async (_, client, message) => {
    const bucket = world.bucket({ client, onStoreError: 'closed', connectTimeoutMs: 0 });
    expect(await world.fateOf(bucket.acquire(), 10)).toMatchObject({ reason: 'unavailable' });
    expect(world.events).toMatchObject([
      { type: 'lost', error: { message: expect.stringContaining(message) } },
    ]);
  });

  test.each<[how: string, onStoreEvent: () => unknown]>([
    ['throws', evil],
    ['rejects', () => Promise.reject(new Error('closed'))],
  ])('with an observer that %s: it is reported once and changes nothing', async (_, onStoreEvent) => {
    world.store.health = 'refusing';
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const bucket = world.bucket({ localShare: 1, onStoreEvent: onStoreEvent as () => void });
    expect(await world.fateOf(bucket.acquire(), 10)).toMatchObject({ cost: 1 });
    expect(emitWarning.mock.calls).toMatchObject([
      [{ name: 'EbbWarning', message: 'onStoreEvent failed, and is ignored: closed' }],
    ]);
    emitWarning.mockRestore();
    await world.run(bucket.close());
  });
});
