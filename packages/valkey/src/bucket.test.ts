import { fairQueue } from '@ebb/core';
import type { VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ModelStore } from '../test/model-store.ts';
import type { ValkeyBucket, ValkeyBucketOptions } from './index.ts';

type QueueOrder = ReturnType<typeof fairQueue>;

let world: StoreWorld;
let clock: VirtualClock;
let store: ModelStore;

beforeEach(() => {
  world = new StoreWorld();
  ({ clock, store } = world);
});

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  world.bucket({ refillPerSecond: 100, capacity: 20, ...options });

describe('tokens', () => {
  test('come with one call for all requests of one turn', async () => {
    const bucket = bucketOf();
    const grants = Promise.all(Array.from({ length: 10 }, () => bucket.acquire()));
    await clock.advance(5);
    expect((await grants).map(({ conforming }) => conforming)).toEqual(Array(10).fill(true));
    expect(store.calls).toEqual(['lease']);
    expect(bucket.stats()).toMatchObject({ granted: 10, waiting: 0, mode: 'shared', processes: 1, calls: 1 });
  });

  test('are granted in order, when they come in', async () => {
    const bucket = bucketOf();
    await world.run(bucket.acquire({ cost: 20 }), 5);
    const order: number[] = [];
    const waits = [1, 2, 3].map(async (n) => {
      const { waitedMs } = await bucket.acquire();
      order.push(n);
      return waitedMs;
    });
    await clock.advance(100);
    expect(order).toEqual([1, 2, 3]);
    for (const [index, waitedMs] of (await Promise.all(waits)).entries()) {
      // A token comes in every 10 ms, and 5 had passed; a message takes a quarter of one.
      expect(waitedMs).toBeGreaterThan(10 * index + 4);
      expect(waitedMs).toBeLessThan(10 * index + 8);
    }
  });

  test('are leased before the last is spent, once the rate of spending is known', async () => {
    const bucket = bucketOf({ refillPerSecond: 1_000, capacity: 200 });
    const waits: number[] = [];
    for (let request = 0; request < 400; request += 1) {
      const grant = bucket.acquire();
      await clock.advance(2);
      waits.push((await grant).waitedMs);
    }
    expect(waits.slice(100).filter((waitedMs) => waitedMs > 0)).toEqual([]);
    expect(store.calls.length).toBeLessThan(30);
  });

  test('that are not spent are returned', async () => {
    const bucket = bucketOf({ refillPerSecond: 1_000, capacity: 200 });
    for (let request = 0; request < 100; request += 1) {
      void bucket.acquire();
      await clock.advance(2);
    }
    expect(bucket.stats().leased).toBeGreaterThan(0);
    await clock.advance(1_000);
    expect(bucket.stats()).toMatchObject({ leased: 0, tokens: 200, idle: true });
    expect(store.calls).toContain('refund');
    // Other processes can take all that was not spent.
    const other = bucketOf({ refillPerSecond: 1_000, capacity: 200, nonConforming: 'reject' });
    const rest = other.acquire({ cost: 200 });
    await clock.advance(2);
    expect((await rest).conforming).toBe(true);
  });

  test('are granted by tryAcquire if they are leased; if not, it leases some for the next call', async () => {
    const bucket = bucketOf();
    expect(bucket.tryAcquire()).toBeUndefined();
    await clock.advance(2);
    expect(bucket.tryAcquire()).toBeDefined();
    expect(() => bucket.tryAcquire(21)).toThrow(RangeError);
  });
});

describe('waiting requests', () => {
  const empty = async (options: Partial<ValkeyBucketOptions> = {}): Promise<ValkeyBucket> => {
    const bucket = bucketOf(options);
    await world.run(bucket.acquire({ cost: 20 }), 1);
    return bucket;
  };

  test('reject with the reason of their signal, and the next request gets what was leased for them', async () => {
    const bucket = await empty();
    const stop = new AbortController();
    const given = bucket.acquire({ cost: 5, signal: stop.signal });
    const next = bucket.acquire({ cost: 5 });
    await clock.advance(10);
    stop.abort(new Error('enough'));
    expect(await world.fateOf(given)).toEqual(new Error('enough'));
    await clock.advance(45);
    expect(await world.fateOf(next)).toMatchObject({ cost: 5 });
  });

  test.each([1, 4, 40])('of %i keys need no more calls than those of one line', async (keys) => {
    const callsOf = async (queue: QueueOrder | undefined): Promise<number> => {
      world = new StoreWorld();
      ({ clock, store } = world);
      const bucket = bucketOf(queue && { queue });
      const asks = Array.from({ length: 200 }, (_, at) =>
        bucket.acquire(queue && { fairKey: `key ${at % keys}` }),
      );
      await clock.advance(3_000);
      await Promise.all(asks);
      return store.calls.length;
    };
    expect(await callsOf(fairQueue())).toBeLessThanOrEqual(await callsOf(undefined));
  });

  test('are refused at once if their tokens cannot come in time', async () => {
    const bucket = await empty();
    const tooLong = bucket.acquire({ cost: 10, maxWaitMs: 50 });
    expect(await world.fateOf(tooLong)).toMatchObject({ reason: 'wait-too-long' });
    expect(await world.fateOf(bucket.acquire({ cost: 10, maxWaitMs: 200 }))).toBe('waits');
  });

  test('are refused at their deadline if another process took the tokens', async () => {
    const [one, other] = [await empty(), bucketOf()];
    const others = other.acquire({ cost: 15 });
    await clock.advance(1);
    const late = one.acquire({ cost: 10, maxWaitMs: 120 });
    expect(await world.fateOf(late)).toBe('waits');
    await clock.advance(121);
    expect(await world.fateOf(late)).toMatchObject({ reason: 'wait-too-long' });
    await clock.advance(200);
    await others;
  });
});

describe('waiting requests of several processes', () => {
  test('get the token of a request that leaves, in whichever process it was', async () => {
    const slow = { refillPerSecond: 0.5, capacity: 1 };
    const [one, other] = [bucketOf(slow), bucketOf(slow)];
    await world.run(one.acquire(), 1);
    const stop = new AbortController();
    const leaves = one.acquire({ signal: stop.signal });
    await clock.advance(1);
    const stays = other.acquire();
    await clock.advance(50);
    stop.abort(new Error('enough'));
    expect(await world.fateOf(leaves)).toEqual(new Error('enough'));
    await clock.advance(2_000);
    // The next token comes 2 s after the first was taken. Without the abort the other would get the one after 4 s.
    expect(await world.fateOf(stays)).toMatchObject({ cost: 1, waitedMs: expect.closeTo(2_000, -1) });
  });

  test('move up by the cost of a request that leaves', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    await world.run(one.acquire({ cost: 20 }), 1);
    const stop = new AbortController();
    const [leaves, small] = [one.acquire({ cost: 19, signal: stop.signal }), one.acquire()];
    await clock.advance(1);
    const stays = other.acquire({ cost: 10 });
    await clock.advance(1);
    stop.abort(new Error('enough'));
    expect(await world.fateOf(leaves)).toEqual(new Error('enough'));
    await clock.advance(150);
    expect(await world.fateOf(small)).toMatchObject({ cost: 1 });
    // 11 tokens at 100/s, and not 30.
    expect(await world.fateOf(stays)).toMatchObject({ cost: 10 });
  });

  test('are refused at once if the store reports that their tokens come too late, and block no other', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    const others = [1, 2, 3].map(() => other.acquire({ cost: 20 }));
    await clock.advance(1);
    const short = one.acquire({ cost: 5, maxWaitMs: 100 }).catch((error: Error) => error);
    const long = one.acquire({ cost: 1, maxWaitMs: 5_000 });
    await clock.advance(5);
    expect(await world.fateOf(short)).toMatchObject({
      reason: 'wait-too-long',
      waitMs: expect.closeTo(250, -2),
    });
    await clock.advance(600);
    expect(await world.fateOf(long)).toMatchObject({ cost: 1 });
    await Promise.all(others);
    expect(one.stats()).toMatchObject({ waiting: 0, refused: 1 });
  });
});

describe('a request that does not conform', () => {
  test('is refused, and so is the next, without a call, until the tokens are available', async () => {
    const bucket = bucketOf({ nonConforming: 'reject' });
    const fates = [15, 15, 15].map((cost) => world.fateOf(bucket.acquire({ cost }), 3));
    const refused = { name: 'NotSentError', reason: 'not-conforming', waitMs: expect.closeTo(100, -1) };
    expect(await Promise.all(fates)).toMatchObject([{ cost: 15, conforming: true }, refused, refused]);
    const { length: calls } = store.calls;
    expect(await world.fateOf(bucket.acquire({ cost: 15 }))).toMatchObject({ reason: 'not-conforming' });
    expect(store.calls.length).toBe(calls);
    await clock.advance(100);
    expect(await world.fateOf(bucket.acquire({ cost: 15 }), 3)).toMatchObject({ cost: 15 });
  });

  test('is granted with a mark, in its place in the queue', async () => {
    const bucket = bucketOf({ nonConforming: 'mark' });
    const order: string[] = [];
    const asks = [2, 20, 1].map(async (cost) => {
      const { conforming } = await bucket.acquire({ cost });
      order.push(`${cost} ${conforming}`);
    });
    await clock.advance(3);
    await Promise.all(asks);
    expect(order).toEqual(['2 true', '20 false', '1 true']);
    expect(bucket.tryAcquire(20)).toMatchObject({ conforming: false });
    expect(bucket.stats()).toMatchObject({ granted: 4, marked: 2 });
  });
});

describe('the actual cost of a request', () => {
  test('is settled in the store', async () => {
    const bucket = bucketOf({ refillPerSecond: 1, capacity: 100 });
    const asks = Promise.all([bucket.acquire({ cost: 50 }), bucket.acquire({ cost: 20 })]);
    await clock.advance(2);
    const [much, little] = await asks;
    much.settle(10);
    much.settle(0);
    little.settle(25);
    await clock.advance(400);
    const peek = bucketOf({ refillPerSecond: 1, capacity: 100 });
    const rest = peek.acquire({ cost: 65 });
    const more = peek.acquire({ cost: 2 });
    await clock.advance(2);
    expect(await world.fateOf(rest)).toMatchObject({ cost: 65 });
    expect(await world.fateOf(more)).toBe('waits');
    expect(() => much.settle(Number.NaN)).toThrow(RangeError);
  });

  // After an outage the bucket is empty. A refund that failed may have arrived, and would be given twice.
  test.each<[what: string, actual: number, tokens: number]>([
    ['a charge that does not reach the store is repeated', 25, -5],
    ['a refund that does not reach the store is not repeated', 10, 0],
  ])('%s once it is back', async (_, actual, tokens) => {
    const rate = { refillPerSecond: 0.001, capacity: 100, maxPauseMs: 1e7 };
    const bucket = bucketOf({ ...rate, onStoreError: 'closed' });
    const [grant] = await Promise.all([bucket.acquire({ cost: 20 }), clock.advance(600)]);
    store.health = 'refusing';
    grant.settle(actual);
    await clock.advance(2_000);
    expect(bucket.stats().mode).toBe('closed');
    store.health = 'up';
    void bucket.acquire({ cost: 1 }).catch(() => undefined);
    await clock.advance(10_000);
    expect(bucket.stats().mode).toBe('shared');
    const peek = bucketOf({ refillPerSecond: 0.001, capacity: 100 });
    await Promise.all([peek.tryAcquire(), clock.advance(5)]);
    expect(peek.stats().tokens).toBeCloseTo(tokens, 0);
  });

  test.each([1e9, 1e308])('of %d tokens costs the fleet no more than the longest pause', async (claimed) => {
    const rate = { refillPerSecond: 10, capacity: 100, maxPauseMs: 60_000 };
    for (const bucket of [bucketOf(rate), bucketOf(rate), bucketOf(rate)]) {
      const grant = await world.run(bucket.acquire({ maxWaitMs: 90_000 }), 90_000);
      grant.settle(claimed);
      grant.settle(claimed);
    }
    await clock.advance(2_000);
    const peek = bucketOf(rate);
    await Promise.all([peek.tryAcquire(), clock.advance(5)]);
    expect(peek.stats().tokens).toBeGreaterThanOrEqual(-600);
    await clock.advance(80_000);
    const [grant] = await Promise.all([peek.acquire(), clock.advance(100)]);
    expect(grant.waitedMs).toBeLessThan(100);
  });
});
