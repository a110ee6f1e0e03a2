import { bucketPerKey, HookError, ThrottledError, tokenBucket } from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { ModelStore } from '../test/model-store.ts';
import { type ValkeyBucket, type ValkeyBucketOptions, valkeyBucket } from './index.ts';

let clock: VirtualClock;
let store: ModelStore;

beforeEach(() => {
  clock = virtualClock();
  store = new ModelStore(clock);
});

const bucketOf = (options: Partial<ValkeyBucketOptions> = {}): ValkeyBucket =>
  valkeyBucket({
    client: store,
    key: 'k',
    refillPerSecond: 100,
    capacity: 20,
    clock,
    random: () => 0.5,
    ...options,
  });

/** What a promise has come to by now. */
async function fateOf<T>(promise: Promise<T>): Promise<T | Error | 'waits'> {
  return Promise.race([
    promise.catch((error: Error) => error),
    clock.advance(0).then(() => 'waits' as const),
  ]);
}

describe('tokens', () => {
  test('come with one call for all who ask in one turn', async () => {
    const bucket = bucketOf();
    const grants = Promise.all(Array.from({ length: 10 }, () => bucket.acquire()));
    await clock.advance(5);
    expect((await grants).map(({ conforming }) => conforming)).toEqual(Array(10).fill(true));
    expect(store.calls).toEqual(['lease']);
    expect(bucket.stats()).toMatchObject({ granted: 10, waiting: 0, mode: 'shared', processes: 1, calls: 1 });
  });

  test('are waited for in order, as long as they take to come in', async () => {
    const bucket = bucketOf();
    const first = bucket.acquire({ cost: 20 });
    await clock.advance(5);
    await first;
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

  test('that one process has another has not', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    const all = Promise.all(
      [one, other].flatMap((bucket) => Array.from({ length: 20 }, () => bucket.acquire())),
    );
    await clock.advance(150);
    expect(one.stats().granted + other.stats().granted).toBeLessThanOrEqual(20 + 15);
    expect(one.stats().granted + other.stats().granted).toBeGreaterThanOrEqual(20 + 13);
    // At the end, one may hold tokens for a while that only the other could use.
    await clock.advance(300);
    await all;
  });

  test('are asked for before the last is spent, once it is known how fast they go', async () => {
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

  test('that nobody wants are given back, and nothing is left behind', async () => {
    const bucket = bucketOf({ refillPerSecond: 1_000, capacity: 200 });
    for (let request = 0; request < 100; request += 1) {
      void bucket.acquire();
      await clock.advance(2);
    }
    expect(bucket.stats().leased).toBeGreaterThan(0);
    await clock.advance(1_000);
    expect(bucket.stats()).toMatchObject({ leased: 0, tokens: 200, idle: true });
    expect(store.calls).toContain('refund');
    expect(clock.pending).toBe(0);
    // All that was not spent is there for others.
    const other = bucketOf({ refillPerSecond: 1_000, capacity: 200, nonConforming: 'reject' });
    const rest = other.acquire({ cost: 200 });
    await clock.advance(2);
    expect((await rest).conforming).toBe(true);
  });

  test('can be had at once where some are leased, else the next who asks has them', async () => {
    const bucket = bucketOf();
    expect(bucket.tryAcquire()).toBeUndefined();
    await clock.advance(2);
    expect(bucket.tryAcquire()).toBeDefined();
    expect(() => bucket.tryAcquire(21)).toThrow(RangeError);
  });

  test('cost what a request says, fractions too', async () => {
    const bucket = bucketOf({ capacity: 1, refillPerSecond: 10 });
    const tenths = Promise.all(Array.from({ length: 10 }, () => bucket.acquire({ cost: 0.1 })));
    await clock.advance(4);
    await tenths;
    const next = bucket.acquire({ cost: 0.5 });
    await clock.advance(45);
    expect(await fateOf(next)).toBe('waits');
    await clock.advance(5);
    expect(await fateOf(next)).toMatchObject({ cost: 0.5 });
  });

  test('of one request may be all that the bucket holds, however many want few', async () => {
    const [big, small] = [bucketOf(), bucketOf()];
    const stop = new AbortController();
    const busy = Array.from({ length: 10 }, async () => {
      for (let asked = 0; asked < 1_000; asked += 1) await small.acquire({ signal: stop.signal });
    });
    await clock.advance(500);
    const whole = big.acquire({ cost: 20 });
    await clock.advance(500);
    expect(await fateOf(whole)).toMatchObject({ cost: 20 });
    stop.abort(new Error('done'));
    await Promise.allSettled(busy);
  });
});

describe('those who wait', () => {
  const empty = async (options: Partial<ValkeyBucketOptions> = {}): Promise<ValkeyBucket> => {
    const bucket = bucketOf(options);
    const all = bucket.acquire({ cost: 20 });
    await clock.advance(1);
    await all;
    return bucket;
  };

  test('leave when they abort, with the reason, and what was leased for them goes to the next', async () => {
    const bucket = await empty();
    const stop = new AbortController();
    const given = bucket.acquire({ cost: 5, signal: stop.signal });
    const next = bucket.acquire({ cost: 5 });
    await clock.advance(10);
    stop.abort(new Error('enough'));
    expect(await fateOf(given)).toEqual(new Error('enough'));
    await clock.advance(45);
    expect(await fateOf(next)).toMatchObject({ cost: 5 });
  });

  test('go by priority, and retries first', async () => {
    const bucket = await empty();
    const order: string[] = [];
    const asks = [
      bucket.acquire({ priority: -1 }).then(() => order.push('low')),
      bucket.acquire().then(() => order.push('normal')),
      bucket.acquire({ retry: true }).then(() => order.push('retry')),
      bucket.acquire({ priority: 1 }).then(() => order.push('high')),
    ];
    await clock.advance(100);
    await Promise.all(asks);
    expect(order).toEqual(['high', 'retry', 'normal', 'low']);
  });

  test('are refused at once when their turn cannot come in time', async () => {
    const bucket = await empty();
    const tooLong = bucket.acquire({ cost: 10, maxWaitMs: 50 });
    expect(await fateOf(tooLong)).toMatchObject({ reason: 'wait-too-long' });
    expect(await fateOf(bucket.acquire({ cost: 10, maxWaitMs: 200 }))).toBe('waits');
  });

  test('are refused when it does not come in time, other than it seemed', async () => {
    const [one, other] = [await empty(), bucketOf()];
    const others = other.acquire({ cost: 15 });
    await clock.advance(1);
    const late = one.acquire({ cost: 10, maxWaitMs: 120 });
    expect(await fateOf(late)).toBe('waits');
    await clock.advance(121);
    expect(await fateOf(late)).toMatchObject({ reason: 'wait-too-long' });
    await clock.advance(200);
    await others;
  });

  test('may be only so many', async () => {
    const bucket = await empty({ maxQueue: 1 });
    const first = bucket.acquire();
    expect(await fateOf(bucket.acquire())).toMatchObject({ reason: 'queue-full' });
    await clock.advance(30);
    await first;
  });
});

describe('a pause', () => {
  test('of the fleet ends for all when one of them ends it, as if it had ended by itself', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(60_000);
    await clock.advance(1);
    const [here, there] = [one.acquire({ cost: 5 }), other.acquire({ cost: 5 })];
    await clock.advance(2_000);
    expect(other.stats().pausedMs).toBeGreaterThan(50_000);
    one.resume();
    expect(one.stats().pausedMs).toBe(0);
    await clock.advance(60);
    // From empty: five tokens at 100 a second.
    expect(await fateOf(here)).toMatchObject({ waitedMs: expect.closeTo(2_050, -1) });
    await clock.advance(1_000);
    expect(await fateOf(there)).toMatchObject({ cost: 5 });
    expect(other.stats().pausedMs).toBe(0);
  });

  test('that is not there can be ended without a call to the store', async () => {
    store.health = 'refusing';
    const bucket = bucketOf({ localShare: 0.5 });
    void bucket.acquire();
    await clock.advance(60_000);
    const { calls } = bucket.stats();
    bucket.resume();
    expect(bucket.stats().calls).toBe(calls);
  });

  test('that another has asked for since is kept, and so is one that no one ended', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(10_000);
    await clock.advance(5);
    one.resume();
    other.pauseFor(5_000);
    await clock.advance(5);
    const ask = one.acquire();
    await clock.advance(4_900);
    expect(await fateOf(ask)).toBe('waits');
    await clock.advance(1_200);
    expect(await fateOf(ask)).toMatchObject({ cost: 1 });
    one.resume();
    expect(await fateOf(one.acquire())).not.toBeInstanceOf(Error);
  });

  test('that was not told of when the store was lost is never told of if it was ended before', async () => {
    const bucket = bucketOf({ localShare: 1 });
    const first = bucket.acquire();
    await clock.advance(5);
    await first;
    store.health = 'refusing';
    bucket.pauseFor(60_000);
    await clock.advance(50);
    const ask = bucket.acquire();
    bucket.resume();
    await clock.advance(50);
    expect(await fateOf(ask)).toMatchObject({ cost: 1 });
    store.health = 'up';
    await clock.advance(5_000);
    expect(store.calls).not.toContain('pause');
    expect(bucket.stats()).toMatchObject({ mode: 'shared', pausedMs: 0 });
  });
});

describe('those who wait in several processes', () => {
  test('have the token of one who leaves, wherever that was', async () => {
    const slow = { refillPerSecond: 0.5, capacity: 1 };
    const [one, other] = [bucketOf(slow), bucketOf(slow)];
    const now = one.acquire();
    await clock.advance(1);
    await now;
    const stop = new AbortController();
    const leaves = one.acquire({ signal: stop.signal });
    await clock.advance(1);
    const stays = other.acquire();
    await clock.advance(50);
    stop.abort(new Error('enough'));
    expect(await fateOf(leaves)).toEqual(new Error('enough'));
    await clock.advance(2_000);
    // The next token comes 2 s after the first was taken; it was the other's turn after 4 s.
    expect(await fateOf(stays)).toMatchObject({ cost: 1, waitedMs: expect.closeTo(2_000, -1) });
  });

  test('move up by what the leaving need no longer, though some of them stay', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    const all = one.acquire({ cost: 20 });
    await clock.advance(1);
    await all;
    const stop = new AbortController();
    const [leaves, small] = [one.acquire({ cost: 19, signal: stop.signal }), one.acquire()];
    await clock.advance(1);
    const stays = other.acquire({ cost: 10 });
    await clock.advance(1);
    stop.abort(new Error('enough'));
    expect(await fateOf(leaves)).toEqual(new Error('enough'));
    await clock.advance(150);
    expect(await fateOf(small)).toMatchObject({ cost: 1 });
    // 11 tokens at 100/s, and not 30.
    expect(await fateOf(stays)).toMatchObject({ cost: 10 });
  });

  test('are refused at once if the store says that their tokens come too late, and hold up no one', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    const others = [1, 2, 3].map(() => other.acquire({ cost: 20 }));
    await clock.advance(1);
    const short = one.acquire({ cost: 5, maxWaitMs: 100 }).catch((error: Error) => error);
    const long = one.acquire({ cost: 1, maxWaitMs: 5_000 });
    await clock.advance(5);
    expect(await fateOf(short)).toMatchObject({ reason: 'wait-too-long', waitMs: expect.closeTo(250, -2) });
    await clock.advance(600);
    expect(await fateOf(long)).toMatchObject({ cost: 1 });
    await Promise.all(others);
    expect(one.stats()).toMatchObject({ waiting: 0, refused: 1 });
  });
});

describe('what does not conform', () => {
  test('is refused, and the refusal is remembered until the tokens are there', async () => {
    const bucket = bucketOf({ nonConforming: 'reject' });
    const asks = Promise.allSettled([15, 15, 15].map((cost) => bucket.acquire({ cost })));
    await clock.advance(3);
    const [first, ...others] = (await asks).map((ask) =>
      ask.status === 'fulfilled' ? ask.value : ask.reason,
    );
    expect(first).toMatchObject({ cost: 15, conforming: true });
    for (const refused of others) {
      expect(refused).toBeInstanceOf(ThrottledError);
      expect(refused).toMatchObject({ reason: 'not-conforming' });
      expect((refused as ThrottledError).waitMs).toBeCloseTo(100, -1);
    }
    const { length: calls } = store.calls;
    expect(await fateOf(bucket.acquire({ cost: 15 }))).toMatchObject({ reason: 'not-conforming' });
    expect(store.calls.length).toBe(calls);
    await clock.advance(100);
    const again = bucket.acquire({ cost: 15 });
    await clock.advance(3);
    expect(await fateOf(again)).toMatchObject({ cost: 15 });
  });

  test('goes with a mark', async () => {
    const bucket = bucketOf({ nonConforming: 'mark' });
    const asks = Promise.all([bucket.acquire({ cost: 15 }), bucket.acquire({ cost: 15 })]);
    await clock.advance(3);
    expect((await asks).map(({ conforming }) => conforming)).toEqual([true, false]);
    expect(bucket.tryAcquire(15)).toMatchObject({ conforming: false });
    expect(bucket.tryAcquire(15)).toBeDefined();
    expect(bucket.stats()).toMatchObject({ granted: 4, marked: 3 });
  });

  test('with a mark keeps its place in the queue', async () => {
    const bucket = bucketOf({ nonConforming: 'mark' });
    const order: string[] = [];
    const asks = [2, 20, 1].map(async (cost) => {
      const { conforming } = await bucket.acquire({ cost });
      order.push(`${cost} ${conforming}`);
    });
    await clock.advance(3);
    await Promise.all(asks);
    expect(order).toEqual(['2 true', '20 false', '1 true']);
  });
});

describe('a pause', () => {
  test('that one process is told holds for all, and ends without a burst', async () => {
    const buckets = [bucketOf(), bucketOf(), bucketOf()];
    const times: number[] = [];
    const stop = new AbortController();
    const busy = buckets.flatMap((bucket) =>
      Array.from({ length: 5 }, async () => {
        while (times.length < 10_000) {
          await bucket.acquire({ signal: stop.signal });
          times.push(clock.now());
        }
      }),
    );
    await clock.advance(1_000);
    const response = {
      type: 'response',
      status: 429,
      header: (name: string) => (name === 'retry-after' ? '3' : undefined),
    } as const;
    const told = buckets[0];
    if (told === undefined) throw new Error('there are three');
    told.observe?.(response, await Promise.race([told.acquire({ priority: 7 }), clock.advance(50) as never]));
    const toldMs = clock.now();
    await clock.advance(6_000);
    stop.abort(new Error('done'));
    await Promise.allSettled(busy);
    // The one that was told stops at once; the others, when they ask for more.
    const early = times.filter((at) => at > toldMs + 200 && at < toldMs + 3_000);
    expect(early).toEqual([]);
    const first = times.filter((at) => at > toldMs + 3_000)[0] ?? 0;
    expect(first - toldMs).toBeLessThan(3_000 + 600 + 100);
    expect(times.filter((at) => at >= first && at < first + 500).length).toBeLessThanOrEqual(51);
    expect(buckets.map((bucket) => bucket.stats().mode)).toEqual(['shared', 'shared', 'shared']);
  });

  test('shows in the stats, and is heard of by one who waits', async () => {
    const [one, other] = [bucketOf(), bucketOf()];
    one.pauseFor(5_000);
    await clock.advance(1);
    const waits = other.acquire();
    await clock.advance(2);
    expect(other.stats().pausedMs).toBeGreaterThan(4_900);
    expect(one.stats()).toMatchObject({ idle: false });
    expect(await fateOf(other.acquire({ maxWaitMs: 1_000 }))).toMatchObject({ reason: 'wait-too-long' });
    await clock.advance(5_100);
    expect(await fateOf(waits)).toMatchObject({ cost: 1 });
  });
});

test('a feedback that throws is a HookError, as in the bucket in memory', async () => {
  const feedback = (): never => {
    throw new Error('boom');
  };
  const outcome = { type: 'response', status: 200, header: () => undefined } as const;
  for (const bucket of [bucketOf({ feedback }), tokenBucket({ refillPerSecond: 100, clock, feedback })]) {
    const [grant] = await Promise.all([bucket.acquire(), clock.advance(5)]);
    expect(() => bucket.observe?.(outcome, grant)).toThrow(HookError);
    expect(() => bucket.observe?.(outcome, grant)).toThrow('feedback failed: boom');
  }
});

describe('what a request cost in the end', () => {
  test('is evened out in the store', async () => {
    const bucket = bucketOf({ refillPerSecond: 1, capacity: 100 });
    const asks = Promise.all([bucket.acquire({ cost: 50 }), bucket.acquire({ cost: 20 })]);
    await clock.advance(2);
    const [much, little] = await asks;
    much.settle(10);
    much.settle(0);
    little.settle(25);
    await clock.advance(200);
    const peek = bucketOf({ refillPerSecond: 1, capacity: 100 });
    const rest = peek.acquire({ cost: 65 });
    const more = peek.acquire({ cost: 2 });
    await clock.advance(2);
    expect(await fateOf(rest)).toMatchObject({ cost: 65 });
    expect(await fateOf(more)).toBe('waits');
    expect(() => much.settle(Number.NaN)).toThrow(RangeError);
  });
});

describe('a bucket for each key', () => {
  const request = (url: string) => ({
    method: 'GET',
    url,
    idempotent: true,
    replayable: true,
    header: () => undefined,
  });

  test('is a key of its own in the store, and is let go when it is idle', async () => {
    const buckets = bucketPerKey((key) => bucketOf({ key }), { clock, idleMs: 1_000 });
    const [one, other] = [request('http://one.test/a'), request('http://other.test/b')];
    const asks = Promise.all([one, one, other].map((of) => buckets.for(of as never).acquire({ cost: 10 })));
    await clock.advance(2);
    await asks;
    expect([...store.keys.keys()]).toEqual(['ebb:{http://one.test}', 'ebb:{http://other.test}']);
    expect(buckets.size).toBe(2);
    await clock.advance(2_000);
    for (let visit = 0; visit < 4; visit += 1) buckets.for(request('http://third.test/') as never);
    expect(buckets.size).toBe(1);
  });
});

describe('closing', () => {
  test('gives back what is leased and turns everybody away', async () => {
    const bucket = bucketOf({ refillPerSecond: 1, capacity: 20 });
    const first = bucket.acquire({ cost: 4 });
    await clock.advance(1);
    await first;
    const waits = bucket.acquire({ cost: 20 });
    await clock.advance(1);
    expect(bucket.stats().leased).toBeGreaterThan(0);
    const closed = bucket.close();
    expect(await fateOf(waits)).toMatchObject({ reason: 'closed' });
    await clock.advance(2);
    await closed;
    await bucket.close();
    expect(bucket.stats().leased).toBe(0);
    expect(await fateOf(bucket.acquire())).toMatchObject({ reason: 'closed' });
    expect(bucket.tryAcquire()).toBeUndefined();
    expect(clock.pending).toBe(0);
    const other = bucketOf({ refillPerSecond: 1, capacity: 20 });
    const rest = other.acquire({ cost: 16 });
    await clock.advance(1);
    expect(await fateOf(rest)).toMatchObject({ cost: 16 });
  });

  test('while a call is under way gives back what it brings', async () => {
    const bucket = bucketOf({ refillPerSecond: 1, capacity: 20 });
    const waits = bucket.acquire({ cost: 20 }).catch((error: Error) => error);
    await Promise.resolve();
    const closed = bucket.close();
    await clock.advance(3);
    await closed;
    expect(await waits).toMatchObject({ reason: 'closed' });
    expect(store.calls).toEqual(['lease', 'refund']);
  });

  test('lets those go first who wait, if it is told to', async () => {
    const bucket = bucketOf({ refillPerSecond: 10, capacity: 20 });
    const first = bucket.acquire({ cost: 20 });
    const waits = bucket.acquire({ cost: 10 });
    await clock.advance(1);
    await first;
    let isClosed = false;
    void bucket.close({ waiting: 'drain' }).then(() => {
      isClosed = true;
    });
    expect(await fateOf(bucket.acquire())).toMatchObject({ reason: 'closed' });
    expect(bucket.tryAcquire()).toBeUndefined();
    await clock.advance(500);
    expect(isClosed).toBe(false);
    await clock.advance(600);
    expect(await fateOf(waits)).toMatchObject({ cost: 10 });
    expect(isClosed).toBe(true);
    expect(bucket.stats().leased).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("with 'reject' after 'drain' turns the rest away", async () => {
    const bucket = bucketOf({ refillPerSecond: 1, capacity: 20 });
    const first = bucket.acquire({ cost: 20 });
    const waits = bucket.acquire({ cost: 20 });
    await clock.advance(1);
    await first;
    const drained = bucket.close({ waiting: 'drain' });
    await clock.advance(10);
    const closed = bucket.close();
    expect(await fateOf(waits)).toMatchObject({ reason: 'closed' });
    await clock.advance(5);
    await Promise.all([drained, closed]);
    expect(clock.pending).toBe(0);
  });
});
