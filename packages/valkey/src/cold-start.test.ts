import type { VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { Health, ModelStore } from '../test/model-store.ts';
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

/** Requests whose results, and the time until they settle, are noted. */
class Asks {
  readonly results: unknown[] = [];
  atMs = Number.NaN;

  constructor(bucket: ValkeyBucket, maxWaitMs?: number) {
    const startMs = clock.now();
    for (let asked = 0; asked < 3; asked += 1) {
      const done = (result: unknown): void => {
        this.results.push(result);
        this.atMs = clock.now() - startMs;
      };
      bucket.acquire(maxWaitMs === undefined ? {} : { maxWaitMs }).then(done, done);
    }
  }
}

const all = (result: object) => Array(3).fill(result);

/** Options with which no request is granted before the store is reached. */
const needsStore: Partial<ValkeyBucketOptions>[] = [{}, { onStoreError: 'closed', localShare: 0.5 }];

describe.each(needsStore)('a store that was never reached, with %o', (mode) => {
  const notReady = new Error("Stream isn't writeable and enableOfflineQueue options is false");
  test.each<[health: Health, nonConforming: ValkeyBucketOptions['nonConforming'], withinMs: number]>([
    // The client queues its commands.
    ['frozen', 'delay', 5],
    ['frozen', 'reject', 5],
    ['frozen', 'mark', 5],
    // The client rejects until it is connected: it is called again.
    ['refusing', 'delay', 300],
  ])('and connects late: the first requests wait (%s, %s)', async (health, nonConforming, withinMs) => {
    store.health = health;
    store.error = notReady;
    const bucket = bucketOf({ ...mode, nonConforming });
    const asks = new Asks(bucket);
    await clock.advance(3_000);
    expect(asks.results).toEqual([]);
    store.health = 'up';
    await clock.advance(withinMs);
    expect(asks.results).toMatchObject(all({ conforming: true }));
    expect(events).toEqual([]);
    await clock.advance(500);
    expect(bucket.stats()).toMatchObject({ mode: 'shared', leased: 0 });
  });

  test('requests wait until their own deadline, or for connectTimeoutMs, by default 10 s', async () => {
    store.health = 'silent';
    const asks: [asks: Asks, reason: string, atMs: number][] = [
      [new Asks(bucketOf({ ...mode, maxWaitMs: 3_000 }), 1_000), 'wait-too-long', 1_000],
      [new Asks(bucketOf({ ...mode, maxWaitMs: 3_000 })), 'wait-too-long', 3_000],
      [new Asks(bucketOf({ ...mode, maxWaitMs: 30_000 })), 'wait-too-long', 30_000],
      [new Asks(bucketOf(mode), 20_000), 'wait-too-long', 20_000],
      [new Asks(bucketOf(mode)), 'unavailable', 10_000],
      [new Asks(bucketOf({ ...mode, connectTimeoutMs: 0 })), 'unavailable', 250],
      [new Asks(bucketOf({ ...mode, connectTimeoutMs: 600 })), 'unavailable', 600],
    ];
    await clock.advance(40_000);
    for (const [asked, reason, atMs] of asks) expect(asked).toMatchObject({ results: all({ reason }), atMs });
  });

  test.each(['refusing', 'silent', 'frozen'] as const)(
    'and never is: requests without a deadline wait for 10 s, later ones not at all (%s)',
    async (health) => {
      store.health = health;
      const bucket = bucketOf(mode);
      const first = new Asks(bucket);
      await clock.advance(9_900);
      expect(first.results).toEqual([]);
      await clock.advance(110);
      const text = health === 'refusing' ? 'ECONNREFUSED' : 'did not reply within 10000 ms';
      const message = expect.stringContaining(text);
      expect(first.results).toMatchObject(all({ reason: 'unavailable', message }));
      expect(events).toMatchObject([{ type: 'lost', mode: 'closed', share: 0 }]);
      const later = await world.fateOf(bucket.acquire());
      expect(later).toMatchObject({ reason: 'unavailable', cause: { message } });
      // It is retried as in any outage.
      store.health = 'up';
      await clock.advance(2_000);
      expect(await world.fateOf(bucket.acquire(), 300)).toMatchObject({ conforming: true });
      expect(events.map(({ type }) => type)).toEqual(['lost', 'back']);
      await world.run(bucket.close());
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
    const asks = new Asks(bucketOf(mode));
    // After NOAUTH the client has one turn to report the cause.
    for (const ms of [1, 0]) await clock.advance(ms);
    const failure = { reason: 'unavailable', cause: store.error, message: expect.stringContaining(message) };
    expect(asks.results).toMatchObject(all(failure));
    expect(events).toMatchObject([{ type: 'lost', error: store.error }]);
  });
});

test.each<[health: Health, options: Partial<ValkeyBucketOptions>, conforming: boolean, mode: string]>([
  ['frozen', { onStoreError: 'open' }, false, 'open'],
  ['silent', { onStoreError: 'open' }, false, 'open'],
  ['frozen', { localShare: 0.5 }, true, 'local'],
  ['silent', { localShare: 0.5 }, true, 'local'],
])('a store that is %s and not needed, because of %o, delays no request beyond timeoutMs', async (...row) => {
  const [health, options, conforming, mode] = row;
  store.health = health;
  const asks = new Asks(bucketOf(options));
  await clock.advance(270);
  expect(asks.results).toMatchObject(all({ conforming }));
  expect(events).toMatchObject([{ type: 'lost', mode }]);
});

test('a store that was reached before delays no request beyond timeoutMs', async () => {
  const bucket = bucketOf({ onStoreError: 'closed' });
  await world.run(bucket.acquire(), 500);
  store.health = 'silent';
  const failure = { reason: 'unavailable', message: expect.stringContaining('did not reply within 250 ms') };
  expect(await world.fateOf(bucket.acquire(), 250)).toMatchObject(failure);
  await world.run(bucket.close());
});
