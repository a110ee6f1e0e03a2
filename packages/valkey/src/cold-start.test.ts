import type { VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ModelStore } from '../test/model-store.ts';
import type { StoreEvent, ValkeyBucket, ValkeyBucketOptions } from './index.ts';

let world: StoreWorld;
let clock: VirtualClock;
let store: ModelStore;
let events: StoreEvent[];

beforeEach(() => {
  world = new StoreWorld();
  ({ clock, store, events } = world);
});

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket => world.bucket(options);

/** Several requests: their results, and when the last one settled. */
class Asks {
  readonly results: unknown[] = [];
  atMs = Number.NaN;

  constructor(bucket: ValkeyBucket, count: number, maxWaitMs?: number) {
    const startMs = clock.now();
    for (let asked = 0; asked < count; asked += 1) {
      const done = (result: unknown): void => {
        this.results.push(result);
        this.atMs = clock.now() - startMs;
      };
      bucket.acquire(maxWaitMs === undefined ? {} : { maxWaitMs }).then(done, done);
    }
  }
}

/** Options with which no request is granted before the store is reached. */
const needsStore: Partial<ValkeyBucketOptions>[] = [
  {},
  { onStoreError: 'closed' },
  { onStoreError: 'closed', localShare: 0.5 },
];

describe.each(needsStore)('a store that was never reached, with %o', (mode) => {
  test.each(['delay', 'reject', 'mark'] as const)(
    'and connects late: the first requests wait for it (%s)',
    async (nonConforming) => {
      // The client queues its commands.
      store.health = 'frozen';
      const bucket = bucketOf({ ...mode, nonConforming });
      const asks = new Asks(bucket, 10);
      await clock.advance(400);
      expect(asks.results).toEqual([]);
      store.health = 'up';
      await clock.advance(5);
      expect(asks.results).toMatchObject(Array(10).fill({ conforming: true }));
      expect(events).toEqual([]);
      await clock.advance(500);
      expect(bucket.stats()).toMatchObject({ mode: 'shared', leased: 0 });
    },
  );

  test('with a client that rejects until it is connected: it is called again', async () => {
    store.health = 'refusing';
    store.error = new Error("Stream isn't writeable and enableOfflineQueue options is false");
    const asks = new Asks(bucketOf(mode), 10);
    await clock.advance(3_000);
    expect(asks.results).toEqual([]);
    store.health = 'up';
    await clock.advance(300);
    expect(asks.results).toMatchObject(Array(10).fill({ conforming: true }));
    expect(events).toEqual([]);
  });

  test('each request waits until its own deadline', async () => {
    store.health = 'silent';
    const bucket = bucketOf({ ...mode, maxWaitMs: 3_000 });
    const short = new Asks(bucket, 3, 1_000);
    const long = new Asks(bucket, 3);
    await clock.advance(5_000);
    expect(short).toMatchObject({ results: Array(3).fill({ reason: 'wait-too-long' }), atMs: 1_000 });
    expect(long).toMatchObject({ results: Array(3).fill({ reason: 'wait-too-long' }), atMs: 3_000 });
    expect(events).toEqual([]);
  });

  test.each(['refusing', 'silent', 'frozen'] as const)(
    'and never is: requests without a deadline wait for 10 s, later ones not at all (%s)',
    async (health) => {
      store.health = health;
      const bucket = bucketOf(mode);
      const first = new Asks(bucket, 3);
      await clock.advance(9_900);
      expect(first.results).toEqual([]);
      await clock.advance(110);
      expect(first.results).toMatchObject(Array(3).fill({ reason: 'unavailable' }));
      const text = health === 'refusing' ? 'ECONNREFUSED' : 'did not reply within 10000 ms';
      expect(String(first.results[0])).toContain(text);
      expect(events).toMatchObject([{ type: 'lost', mode: 'closed', share: 0 }]);
      const later = new Asks(bucket, 1);
      await clock.advance(0);
      expect(later.results).toMatchObject([{ reason: 'unavailable' }]);
      expect(String((later.results[0] as Error).cause)).toContain(text);
      // It is retried as in any outage.
      store.health = 'up';
      await clock.advance(2_000);
      const last = new Asks(bucket, 1);
      await clock.advance(300);
      expect(last.results).toMatchObject([{ conforming: true }]);
      expect(events.map(({ type }) => type)).toEqual(['lost', 'back']);
      await Promise.all([bucket.close(), clock.advance(1_000)]);
    },
  );

  test.each([
    'NOAUTH Authentication required.',
    'WRONGPASS invalid username-password pair or user is disabled.',
    "NOPERM this user has no permissions to run the 'evalsha' command",
    'Standalone connect failed - IoError: Received error for address `a:1`: WRONGPASS: invalid',
    'Connection is closed.',
  ])('with the error %s: requests fail at once', async (message) => {
    store.health = 'refusing';
    store.error = new Error(message);
    const asks = new Asks(bucketOf(mode), 3);
    // After NOAUTH the client has one turn to report the cause.
    for (const ms of [1, 0]) await clock.advance(ms);
    expect(asks.results).toMatchObject(Array(3).fill({ reason: 'unavailable', cause: store.error }));
    expect(String(asks.results[0])).toContain(message);
    expect(events).toMatchObject([{ type: 'lost', error: store.error }]);
  });

  test('receives a pause when it is reached: the rest of it', async () => {
    store.health = 'frozen';
    const bucket = bucketOf(mode);
    bucket.pauseFor(5_000);
    const asks = new Asks(bucket, 1);
    await clock.advance(2_000);
    store.health = 'up';
    await clock.advance(100);
    const other = bucketOf(mode);
    const others = new Asks(other, 1);
    await clock.advance(100);
    expect(other.stats().pausedMs).toBeCloseTo(2_800, -1);
    await clock.advance(2_750);
    expect([asks.results, others.results]).toEqual([[], []]);
    await clock.advance(100);
    expect([asks.results, others.results]).toMatchObject([[{ cost: 1 }], [{ cost: 1 }]]);
  });

  test('receives a pause of a process that ends at once', async () => {
    const bucket = bucketOf(mode);
    bucket.pauseFor(5_000);
    let calls: readonly string[] = [];
    void bucket.close().then(() => {
      calls = [...store.calls];
    });
    await clock.advance(10);
    expect(calls).toContain('pause');
  });

  test.each(['refusing', 'silent'] as const)('close ends in time (%s)', async (health) => {
    store.health = health;
    const bucket = bucketOf(mode);
    const asks = new Asks(bucket, 3);
    await clock.advance(1_010);
    const closed = bucket.close();
    await clock.advance(0);
    expect(asks.results).toMatchObject(Array(3).fill({ reason: 'closed' }));
    expect(await world.fateOf(closed, 500)).toBe(undefined);
    expect(clock.pending).toBe(0);
  });

  test('requests wait as long as their own maxWaitMs if that is longer than 10 s', async () => {
    store.health = 'silent';
    const long = new Asks(bucketOf({ ...mode, maxWaitMs: 30_000 }), 1);
    const own = new Asks(bucketOf(mode), 1, 20_000);
    const none = new Asks(bucketOf(mode), 1);
    await clock.advance(40_000);
    expect(long).toMatchObject({ results: [{ reason: 'wait-too-long' }], atMs: 30_000 });
    expect(own).toMatchObject({ results: [{ reason: 'wait-too-long' }], atMs: 20_000 });
    expect(none).toMatchObject({ results: [{ reason: 'unavailable' }], atMs: 10_000 });
  });

  test('requests wait for connectTimeoutMs if it is given', async () => {
    store.health = 'silent';
    const none = new Asks(bucketOf({ ...mode, connectTimeoutMs: 0 }), 1);
    const some = new Asks(bucketOf({ ...mode, connectTimeoutMs: 600 }), 1);
    await clock.advance(2_000);
    expect(none).toMatchObject({ results: [{ reason: 'unavailable' }], atMs: 250 });
    expect(some).toMatchObject({ results: [{ reason: 'unavailable' }], atMs: 600 });
  });
});

describe('a store that was never reached and is not needed', () => {
  describe.each(['frozen', 'silent'] as const)('%s', (health) => {
    test("'open' does not wait for it", async () => {
      store.health = health;
      const asks = new Asks(bucketOf({ onStoreError: 'open' }), 3);
      await clock.advance(250);
      expect(asks).toMatchObject({ results: Array(3).fill({ conforming: false }), atMs: 250 });
    });

    test("'local' with a share does not wait for it", async () => {
      store.health = health;
      const asks = new Asks(bucketOf({ localShare: 0.5 }), 3);
      await clock.advance(270);
      expect(asks.results).toMatchObject(Array(3).fill({ conforming: true }));
      expect(events).toMatchObject([{ type: 'lost', mode: 'local', share: 0.5 }]);
    });
  });
});

describe('a store that was reached before', () => {
  test('delays no request beyond timeoutMs', async () => {
    const bucket = bucketOf({ onStoreError: 'closed' });
    const first = new Asks(bucket, 1);
    await clock.advance(500);
    expect(first.results).toMatchObject([{ conforming: true }]);
    store.health = 'silent';
    const second = new Asks(bucket, 3);
    await clock.advance(250);
    expect(second.results).toMatchObject(Array(3).fill({ reason: 'unavailable' }));
    expect(String(second.results[0])).toContain('did not reply within 250 ms');
    await Promise.all([bucket.close(), clock.advance(1_000)]);
  });
});

test('the wait for a connection ends at any fraction of a millisecond', async () => {
  store.health = 'silent';
  for (let at = 0; at < 40; at += 1) {
    await clock.advance(Math.sqrt(2 + at));
    const asks = new Asks(bucketOf({ connectTimeoutMs: 300 * Math.SQRT2, timeoutMs: 100 / 3 }), 1);
    await clock.advance(500);
    expect(asks.results).toMatchObject([{ reason: 'unavailable' }]);
  }
});
