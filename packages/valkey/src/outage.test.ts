import type { Grant } from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Health, ModelStore } from '../test/model-store.ts';
import {
  type StoreEvent,
  type StoreObserver,
  type ValkeyBucket,
  type ValkeyBucketOptions,
  valkeyBucket,
} from './index.ts';

let clock: VirtualClock;
let store: ModelStore;
let events: StoreEvent[];

beforeEach(() => {
  clock = virtualClock();
  store = new ModelStore(clock);
  events = [];
});

const RATE = 400;
const CAPACITY = 80;

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  valkeyBucket({
    client: store,
    key: 'k',
    refillPerSecond: RATE,
    capacity: CAPACITY,
    clock,
    random: () => 0.5,
    onStoreEvent: (event) => events.push(event),
    ...options,
  });

async function fateOf<T>(promise: Promise<T>): Promise<T | Error | 'waits'> {
  return Promise.race([
    promise.catch((error: Error) => error),
    clock.advance(0).then(() => 'waits' as const),
  ]);
}

/** Several processes that want all they can get. */
class Fleet {
  readonly buckets: ValkeyBucket[];
  readonly grants: { atMs: number; grant: Grant; of: number }[] = [];
  readonly errors: unknown[] = [];
  #stop = new AbortController();

  constructor(size: number, options: Partial<ValkeyBucketOptions> = {}) {
    this.buckets = Array.from({ length: size }, () => bucketOf(options));
    this.buckets.forEach((bucket, of) => {
      for (let asker = 0; asker < 5; asker += 1) void this.#askOn(bucket, of);
    });
  }

  async #askOn(bucket: ValkeyBucket, of: number): Promise<void> {
    const { signal } = this.#stop;
    // More than the quota ever lets go; one that lets go everything ends there.
    while (!signal.aborted && this.grants.length < 100_000) {
      try {
        this.grants.push({ grant: await bucket.acquire({ signal }), atMs: clock.now(), of });
      } catch (error) {
        if (signal.aborted) return;
        this.errors.push(error);
        await new Promise((resolve) => clock.schedule(() => resolve(undefined), 20));
      }
    }
  }

  count(fromMs: number, toMs: number, of?: number): number {
    return this.grants.filter((g) => g.atMs >= fromMs && g.atMs < toMs && (of ?? g.of) === g.of).length;
  }

  get modes(): string[] {
    return this.buckets.map((bucket) => bucket.stats().mode);
  }

  async end(): Promise<void> {
    this.#stop.abort(new Error('done'));
    const closed = Promise.all(this.buckets.map((bucket) => bucket.close()));
    await clock.advance(2_000);
    await closed;
  }

  /** The most that was ever granted beyond `capacity + rate · t`, over all windows of time. */
  get worst(): number {
    let least = Number.POSITIVE_INFINITY;
    let worst = Number.NEGATIVE_INFINITY;
    this.grants.forEach(({ atMs }, index) => {
      const level = index - (atMs * RATE) / 1_000;
      least = Math.min(least, level);
      worst = Math.max(worst, level - least + 1 - CAPACITY);
    });
    return worst;
  }
}

const ways: readonly Health[] = ['refusing', 'silent', 'frozen'];

describe.each(ways)('while the store is %s', (health) => {
  test("each process lets its share go, from empty, and 'local' says so", async () => {
    const fleet = new Fleet(4);
    await clock.advance(2_000);
    expect(fleet.modes).toEqual(Array(4).fill('shared'));
    store.health = health;
    const lostMs = clock.now();
    await clock.advance(5_000);
    expect(fleet.modes).toEqual(Array(4).fill('local'));
    // Nobody waited for an answer longer than the time limit, and all together kept to the rate.
    const during = fleet.count(lostMs, clock.now());
    expect(during).toBeLessThanOrEqual(RATE * 5 + 1);
    expect(during).toBeGreaterThan(RATE * (5 - 0.35));
    for (const of of [0, 1, 2, 3]) expect(fleet.count(lostMs + 1_000, clock.now(), of)).toBeCloseTo(RATE, -1);
    expect(events.map(({ type }) => type)).toEqual(Array(4).fill('lost'));
    for (const event of events) expect(event).toMatchObject({ mode: 'local', share: 0.25, key: 'ebb:{k}' });

    store.health = 'up';
    const upMs = clock.now();
    await clock.advance(3_000);
    expect(fleet.modes).toEqual(Array(4).fill('shared'));
    expect(fleet.count(upMs, clock.now())).toBeGreaterThan(RATE * 3 - 60);
    expect(events.slice(4).map(({ type }) => type)).toEqual(Array(4).fill('back'));
    expect(fleet.errors).toEqual([]);
    await fleet.end();
    // Leases were paid before: nothing but what idled in a process can come too early.
    expect(fleet.worst).toBeLessThanOrEqual(1);
    expect(clock.pending).toBe(0);
  });

  test("'open' lets everything go, with a mark", async () => {
    const bucket = bucketOf({ onStoreError: 'open' });
    store.health = health;
    const asks = Promise.all(Array.from({ length: 500 }, () => bucket.acquire()));
    await clock.advance(300);
    for (const { conforming } of await asks) expect(conforming).toBe(false);
    expect(bucket.stats()).toMatchObject({ mode: 'open', marked: 500, granted: 500 });
    expect(bucket.tryAcquire(5)).toBeDefined();
    store.health = 'up';
    await clock.advance(2_000);
    const later = bucket.acquire();
    await clock.advance(20);
    expect(await fateOf(later)).toMatchObject({ conforming: true });
    expect(bucket.stats().mode).toBe('shared');
    await bucket.close();
  });

  test("'closed' lets nothing go, and nobody waits for it", async () => {
    const bucket = bucketOf({ onStoreError: 'closed' });
    const first = bucket.acquire();
    await clock.advance(500);
    await first;
    store.health = health;
    const early = Promise.allSettled([bucket.acquire(), bucket.acquire()]);
    await clock.advance(300);
    for (const ask of await early) expect(ask).toMatchObject({ reason: { reason: 'unavailable' } });
    expect(await fateOf(bucket.acquire())).toMatchObject({ name: 'ThrottledError', reason: 'unavailable' });
    store.health = 'up';
    await clock.advance(2_000);
    const later = bucket.acquire().catch((error: Error) => error);
    await clock.advance(20);
    expect(await later).toMatchObject({ conforming: true });
  });

  test('closing ends in time', async () => {
    const bucket = bucketOf({ localShare: 0.5 });
    const first = bucket.acquire({ cost: 10 });
    await clock.advance(5);
    await first;
    store.health = health;
    const waits = fateOf(bucket.acquire({ cost: CAPACITY }));
    const closed = bucket.close();
    await clock.advance(600);
    expect(await fateOf(closed)).toBe(undefined);
    expect(await waits).toMatchObject({ reason: 'closed' });
    expect(clock.pending).toBe(0);
  });
});

describe('a store that was lost', () => {
  test('is asked again by each at its own time, and not by one that wants nothing', async () => {
    let seed = 0;
    const random = (): number => {
      seed = (seed + 0.37) % 1;
      return seed;
    };
    const fleet = new Fleet(8, { random });
    await clock.advance(1_000);
    store.health = 'refusing';
    await clock.advance(3_000);
    store.health = 'up';
    const upMs = clock.now();
    const { length: before } = store.calls;
    await clock.advance(10);
    expect(store.calls.length - before).toBeLessThan(4);
    await clock.advance(3_000);
    expect(fleet.modes).toEqual(Array(8).fill('shared'));
    expect(store.calls.slice(before).filter((mode) => mode === 'resume').length).toBe(8);
    expect(fleet.count(upMs, upMs + 3_000)).toBeLessThanOrEqual(RATE * 3 + CAPACITY);
    await fleet.end();

    const quiet = bucketOf({ localShare: 1 });
    store.health = 'refusing';
    const ask = quiet.acquire();
    await clock.advance(20_000);
    await ask;
    expect(clock.pending).toBe(0);
  });

  test('by one process alone: the others go on, and what that one spent beside them is paid for', async () => {
    const fleet = new Fleet(3);
    const line = new ModelStore(clock, store.keys);
    const cutOff = new Fleet(1, { client: line });
    await clock.advance(1_000);
    line.health = 'refusing';
    await clock.advance(3_000);
    expect(fleet.modes).toEqual(['shared', 'shared', 'shared']);
    expect(cutOff.modes).toEqual(['local']);
    expect(cutOff.count(1_000, 4_000)).toBeLessThanOrEqual((RATE / 4) * 3);
    expect(fleet.count(2_000, 4_000)).toBeGreaterThan(RATE * 1.9);
    line.health = 'up';
    await clock.advance(600);
    expect(cutOff.modes).toEqual(['shared']);
    const count = (fromMs: number, toMs: number): number =>
      fleet.count(fromMs, toMs) + cutOff.count(fromMs, toMs);
    await clock.advance(2_000);
    // It pays what its share of the bucket holds, and no more: a long outage of one does not starve the others.
    expect(store.calls.concat(line.calls)).toContain('spend');
    expect(count(4_000, 6_000)).toBeLessThanOrEqual(RATE * 2);
    expect(count(4_000, 6_000)).toBeGreaterThan(RATE * 2 - CAPACITY);
    await Promise.all([fleet.end(), cutOff.end()]);
  });

  test('answers late: that counts as a sign of life, and what it leased goes back', async () => {
    const bucket = bucketOf({ localShare: 1 });
    store.latencyMs = 200;
    const ask = bucket.acquire();
    await clock.advance(350);
    expect(bucket.stats().mode).toBe('local');
    store.latencyMs = 1;
    await clock.advance(100);
    await ask;
    await clock.advance(1_000);
    const more = bucket.acquire();
    await clock.advance(10);
    await more;
    expect(store.calls).toContain('resume');
    expect(bucket.stats().mode).toBe('shared');
    await clock.advance(1_000);
    expect(bucket.stats().idle).toBe(true);
  });

  test('holds another kind of thing under that key: an error, and no hang', async () => {
    store.error = new Error('WRONGTYPE Operation against a key holding the wrong kind of value');
    store.health = 'refusing';
    const bucket = bucketOf({ onStoreError: 'closed' });
    const ask = bucket.acquire().catch((error: Error) => error);
    await clock.advance(5);
    expect(await ask).toMatchObject({ reason: 'unavailable' });
    expect(events).toMatchObject([
      { type: 'lost', error: { message: expect.stringContaining('WRONGTYPE') } },
    ]);
  });

  test('and answers what the script does not: an error', async () => {
    const client = { evalsha: async () => 'OK', eval: async () => 'OK' };
    const bucket = bucketOf({ client, onStoreError: 'closed' });
    const ask = bucket.acquire().catch((error: Error) => error);
    await clock.advance(5);
    expect(await ask).toMatchObject({ reason: 'unavailable' });
    expect(events).toMatchObject([{ type: 'lost', error: { message: expect.stringContaining('"OK"') } }]);
  });

  test('and a client that throws in place of rejecting', async () => {
    const client = {
      evalsha: () => {
        throw new Error('closed');
      },
      eval: () => Promise.reject(new Error('closed')),
    };
    const bucket = bucketOf({ client, localShare: 1 });
    const ask = bucket.acquire();
    await clock.advance(10);
    expect(await fateOf(ask)).toMatchObject({ cost: 1 });
  });

  test.each<[how: string, onStoreEvent: StoreObserver]>([
    [
      'throws',
      () => {
        throw new Error('my fault');
      },
    ],
    ['rejects', (async () => Promise.reject(new Error('my fault'))) as StoreObserver],
  ])('and an observer that %s: it is reported, and changes nothing', async (_, onStoreEvent) => {
    store.health = 'refusing';
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const bucket = bucketOf({ localShare: 1, onStoreEvent });
    const ask = bucket.acquire();
    await clock.advance(10);
    expect(await fateOf(ask)).toMatchObject({ cost: 1 });
    expect(emitWarning.mock.calls).toMatchObject([
      [{ name: 'EbbWarning', message: 'onStoreEvent failed, and is ignored: my fault' }],
    ]);
    emitWarning.mockRestore();
    await bucket.close();
  });
});

describe('a store that forgets', () => {
  test('its scripts is taught them again', async () => {
    const bucket = bucketOf();
    for (let round = 0; round < 3; round += 1) {
      store.forgetScripts();
      const ask = bucket.acquire({ cost: 20 });
      await clock.advance(60);
      await ask;
    }
    expect(events).toEqual([]);
  });

  test('the bucket is told by those who know: no burst', async () => {
    const fleet = new Fleet(4);
    for (let round = 0; round < 10; round += 1) {
      await clock.advance(500);
      store.keys.clear();
    }
    await clock.advance(500);
    await fleet.end();
    // The first who comes does not know of the others' last leases, and they tell of them when they come.
    expect(fleet.worst).toBeLessThanOrEqual(RATE * 0.1);
    expect(fleet.count(0, 5_500)).toBeLessThanOrEqual(CAPACITY + RATE * 5.5);
    expect(fleet.count(0, 5_500)).toBeGreaterThan(RATE * 5.5 * 0.95);
  });

  test('the last writings, as after a failover: no burst either', async () => {
    const fleet = new Fleet(4);
    for (let round = 0; round < 10; round += 1) {
      const kept = store.keys.get('ebb:{k}') ?? '';
      await clock.advance(300);
      store.keys.set('ebb:{k}', kept);
    }
    await fleet.end();
    expect(fleet.worst).toBeLessThanOrEqual(RATE * 0.1);
    expect(fleet.count(0, 3_000)).toBeLessThanOrEqual(CAPACITY + RATE * 3);
  });

  test('what time it is goes on, however its clock is set', async () => {
    const fleet = new Fleet(2);
    for (const aheadMs of [3_600_000, -3_600_000, 0, 500]) {
      await clock.advance(1_000);
      store.aheadMs = aheadMs;
    }
    await clock.advance(1_000);
    await fleet.end();
    // A clock that is set ahead fills the bucket once, beside what was leased of the time to come.
    expect(fleet.count(0, 5_000)).toBeLessThanOrEqual(RATE * 5.1 + 4 * CAPACITY);
    expect(fleet.count(4_000, 5_000)).toBeGreaterThan(RATE * 0.9);
    expect(events).toEqual([]);
  });
});
