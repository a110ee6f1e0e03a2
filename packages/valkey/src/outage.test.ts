import { beforeEach, describe, expect, test, vi } from 'vitest';
import { BusyFleet, CAPACITY, RATE, StoreWorld } from '../test/busy-fleet.ts';
import { type Health, ModelStore } from '../test/model-store.ts';
import type { StoreObserver } from './index.ts';

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
    expect(world.events.map(({ type }) => type)).toEqual(Array(4).fill('lost'));
    for (const event of world.events)
      expect(event).toMatchObject({ mode: 'local', share: 0.25, key: 'ebb:{k}' });

    world.store.health = 'up';
    const upMs = world.clock.now();
    await world.clock.advance(3_000);
    expect(fleet.modes).toEqual(Array(4).fill('shared'));
    expect(fleet.count(upMs, world.clock.now())).toBeGreaterThan(RATE * 3 - 60);
    expect(world.events.slice(4).map(({ type }) => type)).toEqual(Array(4).fill('back'));
    expect(fleet.errors).toEqual([]);
    await fleet.end();
    // Leases are charged in advance, so only tokens that idled in a process can come early.
    expect(fleet.worst).toBeLessThanOrEqual(1);
    expect(world.clock.pending).toBe(0);
  });

  test("'open': every request is granted, and does not conform", async () => {
    const bucket = world.bucket({ onStoreError: 'open' });
    world.store.health = health;
    const asks = Promise.all(Array.from({ length: 500 }, () => bucket.acquire()));
    await world.clock.advance(300);
    for (const { conforming } of await asks) expect(conforming).toBe(false);
    expect(bucket.stats()).toMatchObject({ mode: 'open', marked: 500, granted: 500 });
    expect(bucket.tryAcquire(5)).toBeDefined();
    world.store.health = 'up';
    await world.clock.advance(2_000);
    expect(await world.fateOf(bucket.acquire(), 20)).toMatchObject({ conforming: true });
    expect(bucket.stats().mode).toBe('shared');
    await Promise.all([bucket.close(), world.clock.advance(1_000)]);
  });

  test("'closed': every request is rejected at once", async () => {
    const bucket = world.bucket({ onStoreError: 'closed' });
    await world.run(bucket.acquire(), 500);
    world.store.health = health;
    const early = Promise.allSettled([bucket.acquire(), bucket.acquire()]);
    await world.clock.advance(300);
    for (const ask of await early) expect(ask).toMatchObject({ reason: { reason: 'unavailable' } });
    expect(await world.fateOf(bucket.acquire())).toMatchObject({
      name: 'NotSentError',
      reason: 'unavailable',
    });
    world.store.health = 'up';
    await world.clock.advance(2_000);
    const later = bucket.acquire().catch((error: Error) => error);
    await world.clock.advance(20);
    expect(await later).toMatchObject({ conforming: true });
  });

  test('close ends in time', async () => {
    const bucket = world.bucket({ localShare: 0.5 });
    await world.run(bucket.acquire({ cost: 10 }), 5);
    world.store.health = health;
    const waits = world.fateOf(bucket.acquire({ cost: CAPACITY }));
    const closed = bucket.close();
    await world.clock.advance(600);
    expect(await world.fateOf(closed)).toBe(undefined);
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
    const upMs = world.clock.now();
    const { length: before } = world.store.calls;
    await world.clock.advance(10);
    expect(world.store.calls.length - before).toBeLessThan(4);
    await world.clock.advance(3_000);
    expect(fleet.modes).toEqual(Array(8).fill('shared'));
    expect(world.store.calls.slice(before).filter((mode) => mode === 'resume').length).toBe(8);
    expect(fleet.count(upMs, upMs + 3_000)).toBeLessThanOrEqual(RATE * 3 + CAPACITY);
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
    expect(fleet.modes).toEqual(['shared', 'shared', 'shared']);
    expect(cutOff.modes).toEqual(['local']);
    expect(cutOff.count(1_000, 4_000)).toBeLessThanOrEqual((RATE / 4) * 3);
    expect(fleet.count(2_000, 4_000)).toBeGreaterThan(RATE * 1.9);
    connection.health = 'up';
    await world.clock.advance(600);
    expect(cutOff.modes).toEqual(['shared']);
    const count = (fromMs: number, toMs: number): number =>
      fleet.count(fromMs, toMs) + cutOff.count(fromMs, toMs);
    await world.clock.advance(2_000);
    // It pays back at most its share of the capacity, so that a long outage of one process does not starve the others.
    expect(count(4_000, 6_000)).toBeLessThanOrEqual(RATE * 2);
    expect(count(4_000, 6_000)).toBeGreaterThan(RATE * 2 - CAPACITY);
    await Promise.all([fleet.end(), cutOff.end()]);
  });

  test('that replies late is called again at once, and the late lease is returned', async () => {
    const bucket = world.bucket({ localShare: 1 });
    world.store.latencyMs = 200;
    const ask = bucket.acquire();
    await world.clock.advance(350);
    expect(bucket.stats().mode).toBe('local');
    world.store.latencyMs = 1;
    await world.clock.advance(100);
    await ask;
    await world.clock.advance(1_000);
    await world.run(bucket.acquire(), 10);
    expect(world.store.calls).toContain('resume');
    expect(bucket.stats().mode).toBe('shared');
    await world.clock.advance(1_000);
    expect(bucket.stats().idle).toBe(true);
  });

  test('that replies late: what it leased then goes back to it', async () => {
    const quota = { refillPerSecond: 0.001, capacity: 100, onStoreError: 'closed' } as const;
    const bucket = world.bucket(quota);
    await Promise.all([bucket.acquire({ cost: 10 }), world.clock.advance(10)]);
    world.store.latencyMs = 150;
    const ask = bucket.acquire({ cost: 40 }).catch((error: Error) => error);
    await world.clock.advance(290);
    world.store.latencyMs = 1;
    await world.clock.advance(5_000);
    expect(await ask).toMatchObject({ reason: 'unavailable' });
    expect(bucket.stats().mode).toBe('shared');
    const other = world.bucket(quota);
    await Promise.all([other.tryAcquire(), world.clock.advance(5)]);
    expect(other.stats().tokens).toBeCloseTo(90, 0);
  });

  test('with another type of value under the key: an error, no hang', async () => {
    world.store.error = new Error('WRONGTYPE Operation against a key holding the wrong kind of value');
    world.store.health = 'refusing';
    const bucket = world.bucket({ onStoreError: 'closed' });
    const ask = bucket.acquire().catch((error: Error) => error);
    await world.clock.advance(5);
    expect(await ask).toMatchObject({ reason: 'unavailable' });
    expect(world.events).toMatchObject([
      { type: 'lost', error: { message: expect.stringContaining('WRONGTYPE') } },
    ]);
  });

  test('with a reply of another script: an error', async () => {
    const client = { evalsha: async () => 'OK', eval: async () => 'OK' };
    const bucket = world.bucket({ client, onStoreError: 'closed' });
    const ask = bucket.acquire().catch((error: Error) => error);
    await world.clock.advance(5);
    expect(await ask).toMatchObject({ reason: 'unavailable' });
    expect(world.events).toMatchObject([
      { type: 'lost', error: { message: expect.stringContaining('"OK"') } },
    ]);
  });

  test('through a client that throws instead of rejecting', async () => {
    const client = {
      evalsha: () => {
        throw new Error('closed');
      },
      eval: () => Promise.reject(new Error('closed')),
    };
    const bucket = world.bucket({ client, localShare: 1 });
    expect(await world.fateOf(bucket.acquire(), 10)).toMatchObject({ cost: 1 });
  });

  test.each<[how: string, onStoreEvent: StoreObserver]>([
    [
      'throws',
      () => {
        throw new Error('my fault');
      },
    ],
    ['rejects', (async () => Promise.reject(new Error('my fault'))) as StoreObserver],
  ])('with an observer that %s: it is reported once and changes nothing', async (_, onStoreEvent) => {
    world.store.health = 'refusing';
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const bucket = world.bucket({ localShare: 1, onStoreEvent });
    expect(await world.fateOf(bucket.acquire(), 10)).toMatchObject({ cost: 1 });
    expect(emitWarning.mock.calls).toMatchObject([
      [{ name: 'EbbWarning', message: 'onStoreEvent failed, and is ignored: my fault' }],
    ]);
    emitWarning.mockRestore();
    await Promise.all([bucket.close(), world.clock.advance(1_000)]);
  });
});
