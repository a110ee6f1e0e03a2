import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test, vi } from 'vitest';
import { NotSentError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { AcquireOptions, Grant } from '../../policy/contracts.ts';
import { priorityQueue } from '../../queue/order.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { perKey } from '../per-key/per-key.ts';
import type { TokenBucketOptions } from './options.ts';
import { type MemoryBucket, tokenBucket } from './token-bucket.ts';

/** A bucket of ten a second and five at once by default. */
function setUp(options: Partial<TokenBucketOptions> = {}): { bucket: MemoryBucket; clock: VirtualClock } {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 10, capacity: 5, clock, random: () => 0, ...options });
  return { bucket, clock };
}

/** Records when each request was granted tokens, or why it was refused. */
function journal(clock: VirtualClock) {
  const lines: string[] = [];
  const follow = (name: string, promise: Promise<Grant>): void => {
    promise.then(
      () => lines.push(`${name} ${Math.round(clock.now() * 1e3) / 1e3}`),
      (error: unknown) => {
        lines.push(`${name} ${error instanceof NotSentError ? error.reason : String(error)} ${clock.now()}`);
      },
    );
  };
  return { lines, follow };
}

async function outcome(promise: Promise<Grant>): Promise<unknown> {
  return promise.then(
    (grant) => grant.waitedMs,
    (error: unknown) => error,
  );
}

describe('waiting', () => {
  test('first come, first served, each when its tokens are available', async () => {
    const { bucket, clock } = setUp();
    const { lines, follow } = journal(clock);
    for (const [name, cost] of Object.entries({ a: 3, b: 4, c: 0.5, d: 5 }))
      follow(name, bucket.acquire({ cost }));
    await clock.advance(10_000);
    expect(lines).toEqual(['a 0', 'b 200', 'c 250', 'd 750']);
  });

  test('a grant has its cost, its wait and its time', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const { bucket } = setUp({ clock });
    bucket.tryAcquire(5);
    const granted = bucket.acquire({ cost: 2 });
    await clock.advance(1_000);
    expect(await granted).toMatchObject({ cost: 2, waitedMs: 200, grantedAtMs: 1_000_200, conforming: true });
  });

  test('no request overtakes the queue, however little it costs', async () => {
    const { bucket, clock } = setUp({ initialTokens: 2, queue: priorityQueue() });
    const { lines, follow } = journal(clock);
    follow('large', bucket.acquire({ cost: 5 }));
    expect(bucket.tryAcquire(1)).toBeUndefined();
    expect(bucket.tryAcquire(1)).toBeUndefined();
    follow('small', bucket.acquire({ cost: 1 }));
    await clock.advance(1_000);
    expect(lines).toEqual(['large 300', 'small 400']);
    expect(bucket.tryAcquire(1)).toBeDefined();
  });

  test('no request overtakes another of the same millisecond', async () => {
    const { bucket, clock } = setUp({ initialTokens: 2 });
    await clock.advance(0.6);
    void bucket.acquire({ cost: 5 });
    await clock.advance(0.1);
    void bucket.acquire({ cost: 1 });
    expect(bucket.stats()).toMatchObject({ waiting: 2, granted: 0 });
  });

  test('fractions add up to zero in the end', async () => {
    const { bucket, clock } = setUp({ initialTokens: 0 });
    for (let index = 0; index < 11; index += 1) void bucket.acquire({ cost: 0.1 + index / 7 });
    expect(bucket.stats().waitingCost).toBeCloseTo(1.1 + 55 / 7, 9);
    await clock.advance(10_000);
    expect(bucket.stats().waitingCost).toBe(0);
  });

  test('one timer for the whole queue, none if it is empty', async () => {
    const { bucket, clock } = setUp({ initialTokens: 0, queue: priorityQueue() });
    expect(clock.pending).toBe(0);
    const controller = new AbortController();
    const { signal } = controller;
    const all = Array.from({ length: 1_000 }, (_, index) => {
      return bucket.acquire({ signal, maxWaitMs: 1e6 + index, priority: index % 3 }).catch(() => {});
    });
    expect(clock.pending).toBe(1);
    await clock.advance(5_000);
    expect(clock.pending).toBe(1);
    controller.abort();
    await Promise.all(all);
    expect(clock.pending).toBe(0);
    expect(bucket.stats()).toMatchObject({ waiting: 0, waitingCost: 0, granted: 50 });
  });

  test('a queue that may go at once is served in slices, so that it does not block the event loop', () => {
    let nowMs = 0;
    const timers: (() => void)[] = [];
    const clock: Clock = {
      now: () => nowMs,
      schedule(wake) {
        timers.push(wake);
        return () => {};
      },
    };
    const bucket = tokenBucket({ refillPerSecond: 1e6, capacity: 250, initialTokens: 0, clock });
    for (let index = 0; index < 250; index += 1) void bucket.acquire();
    // The program was suspended, and the timer fires late.
    nowMs = 10_000;
    const granted = [1, 2, 3].map(() => {
      timers.shift()?.();
      expect(bucket.tryAcquire()).toBeUndefined();
      return bucket.stats().granted;
    });
    expect(granted).toEqual([100, 200, 250]);
    expect(timers).toEqual([]);
  });

  test('a hundred thousand requests wait behind one timer, and go in order', async () => {
    const { bucket, clock } = setUp({ refillPerSecond: 1e6, capacity: 1_000, initialTokens: 0 });
    const order: number[] = [];
    const all = Array.from({ length: 100_000 }, async (_, index) => {
      await bucket.acquire();
      order.push(index);
    });
    expect(clock.pending).toBe(1);
    clock.tick(101);
    await Promise.all(all);
    expect(order.every((one, index) => one === index)).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test('each caller keeps its own async context', async () => {
    const { bucket, clock } = setUp({ initialTokens: 0 });
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    for (const name of ['a', 'b']) {
      storage.run(name, async () => {
        await bucket.acquire();
        seen.push(storage.getStore());
      });
    }
    await clock.advance(1_000);
    expect(seen).toEqual(['a', 'b']);
  });

  test('a clock that is set back blocks nothing, and mints no tokens', async () => {
    const real = virtualClock({ startMs: 10_000_000 });
    let offMs = 0;
    const bucket = tokenBucket({
      refillPerSecond: 10,
      capacity: 5,
      clock: { now: () => real.now() + offMs, schedule: real.schedule },
    });
    bucket.tryAcquire(5);
    offMs = -3_600_000;
    expect(bucket.tryAcquire()).toBeUndefined();
    const granted = bucket.acquire({ maxWaitMs: 100 });
    await real.advance(100);
    expect(await outcome(granted)).toBe(100);
  });

  test('after an hour of suspension at most the capacity is granted', async () => {
    const { bucket, clock } = setUp();
    for (let index = 0; index < 20; index += 1) void bucket.acquire();
    const now = vi.spyOn(clock, 'now').mockReturnValue(3_600_000);
    clock.tick(100);
    now.mockRestore();
    expect(bucket.stats()).toMatchObject({ granted: 10, waiting: 10 });
  });
});

describe('published examples', () => {
  test('API Gateway: 10,000 a second, burst 5,000', () => {
    const { bucket, clock } = setUp({ refillPerSecond: 10_000, capacity: 5_000 });
    const serve = (count: number) =>
      Array.from({ length: count }, () => bucket.tryAcquire()).filter(Boolean).length;
    expect(serve(10_000)).toBe(5_000);
    clock.tick(100);
    expect(serve(5_000)).toBe(1_000);
    clock.tick(60_000);
    let served = serve(5_000);
    for (let ms = 1; ms < 1_000; ms += 1) {
      clock.tick(1);
      served += serve(ms % 200 === 0 ? 10 : 5);
    }
    expect(served).toBe(5_000 + 999 * 5 + 4 * 5);
  });

  test.each([
    [500, [500, 100, 100, 100]],
    [100, [100, 100, 100, 100]],
  ])('App Engine: 500 a second, refilled every 200 ms, bucket of %d', async (capacity, starts) => {
    const { bucket, clock } = setUp({ refillPerSecond: 500, capacity, refillIntervalMs: 200 });
    for (let task = 0; task < 2_000; task += 1) void bucket.acquire();
    let before = bucket.stats().granted;
    const started = [before];
    for (let step = 0; step < 3; step += 1) {
      await clock.advance(199);
      expect(bucket.stats().granted).toBe(before);
      await clock.advance(1);
      started.push(bucket.stats().granted - before);
      before = bucket.stats().granted;
    }
    expect(started).toEqual(starts);
  });
});

describe('non-conforming requests', () => {
  test("are refused at once with 'reject'", async () => {
    const { bucket, clock } = setUp({ nonConforming: 'reject', initialTokens: 1 });
    expect(await outcome(bucket.acquire())).toBe(0);
    expect(await outcome(bucket.acquire({ cost: 2 }))).toMatchObject({
      name: 'NotSentError',
      reason: 'not-conforming',
      waitMs: 200,
    });
    expect(bucket.tryAcquire()).toBeUndefined();
    expect(bucket.stats()).toMatchObject({ granted: 1, refused: 1, waiting: 0 });
    expect(clock.pending).toBe(0);
  });

  test("are marked with 'mark', and take no tokens", async () => {
    const { bucket } = setUp({ nonConforming: 'mark', initialTokens: 1 });
    expect(await bucket.acquire()).toMatchObject({ conforming: true });
    const marked = await bucket.acquire({ cost: 3 });
    expect(marked).toMatchObject({ conforming: false, cost: 3, waitedMs: 0 });
    expect(bucket.tryAcquire()).toMatchObject({ conforming: false });
    expect(bucket.tryAcquire()).toBeDefined();
    marked.settle(50);
    expect(bucket.stats()).toMatchObject({ granted: 4, marked: 3, tokens: 0 });
  });
});

describe('maxWaitMs', () => {
  test.each<[story: string, ask: AcquireOptions, answer: unknown]>([
    ['what comes in time is waited for', { maxWaitMs: 100 }, 100],
    [
      'what comes a little late is refused at once',
      { maxWaitMs: 99 },
      { reason: 'wait-too-long', waitMs: 100 },
    ],
    ['no wait allows for none', { maxWaitMs: 0 }, { reason: 'wait-too-long', waitMs: 100 }],
    ['the cost counts', { cost: 3, maxWaitMs: 299 }, { reason: 'wait-too-long', waitMs: 300 }],
  ])('%s', async (_, ask, answer) => {
    const { bucket, clock } = setUp({ initialTokens: 0 });
    const settled = outcome(bucket.acquire(ask));
    const refused = bucket.stats().refused;
    await clock.advance(1_000);
    if (typeof answer === 'number') expect(await settled).toBe(answer);
    else expect(await settled).toMatchObject(answer as object);
    expect(refused).toBe(typeof answer === 'number' ? 0 : 1);
  });

  test('counts the requests ahead', async () => {
    const { bucket } = setUp({ initialTokens: 0, queue: priorityQueue() });
    for (let index = 0; index < 10; index += 1) void bucket.acquire({ cost: 2 });
    expect(await outcome(bucket.acquire({ maxWaitMs: 2_000 }))).toMatchObject({ waitMs: 2_100 });
    // A request of higher priority does not wait for them.
    expect(bucket.stats().waiting).toBe(10);
    void bucket.acquire({ maxWaitMs: 100, priority: 1 });
    expect(bucket.stats().waiting).toBe(11);
  });

  test('of the bucket holds for every request', async () => {
    const { bucket } = setUp({ initialTokens: 0, maxWaitMs: 250 });
    expect(await outcome(bucket.acquire({ cost: 3 }))).toMatchObject({ reason: 'wait-too-long' });
    expect(await outcome(bucket.acquire({ cost: 3, maxWaitMs: 1e9 }))).toMatchObject({
      reason: 'wait-too-long',
    });
  });

  test('a request that is overtaken is refused at its deadline', async () => {
    const { bucket, clock } = setUp({ initialTokens: 0, queue: priorityQueue() });
    const { lines, follow } = journal(clock);
    follow('low', bucket.acquire({ maxWaitMs: 150 }));
    follow('high', bucket.acquire({ cost: 5, priority: 1 }));
    await clock.advance(1_000);
    expect(lines).toEqual(['low wait-too-long 150', 'high 500']);
  });

  test('deadlines pass in their own order, and other requests stay', async () => {
    const { bucket, clock } = setUp({ initialTokens: 0, capacity: 100, queue: priorityQueue() });
    const { lines, follow } = journal(clock);
    follow('first', bucket.acquire({ cost: 100, priority: 1 }));
    // Alone it would be in time, but the first one goes before it.
    const patience = [900, 300, 600, 100, 800, 200, 700, 500];
    for (const maxWaitMs of patience) {
      bucket.setRate(1e5);
      follow(String(maxWaitMs), bucket.acquire({ maxWaitMs }));
      bucket.setRate(10);
    }
    await clock.advance(650);
    expect(lines).toEqual([100, 200, 300, 500, 600].map((ms) => `${ms} wait-too-long ${ms}`));
    expect(bucket.stats().waiting).toBe(4);
  });
});

describe('wrong arguments', () => {
  const bad: [cost: unknown, type: ErrorConstructor][] = [
    [0, RangeError],
    [-1, RangeError],
    [Number.NaN, RangeError],
    [Number.POSITIVE_INFINITY, RangeError],
    [5.1, RangeError],
    ['1', TypeError],
    [null, TypeError],
  ];
  test.each(bad)('cost %s throws at once', async (cost, type) => {
    const { bucket } = setUp();
    const message = /cost must be a number > 0 and ≤ the capacity, 5, got/;
    expect(() => bucket.tryAcquire(cost as number)).toThrow(message);
    expect(() => bucket.tryAcquire(cost as number)).toThrow(type);
    await expect(bucket.acquire({ cost: cost as number })).rejects.toThrow(type);
    await expect(bucket.acquire({ cost: cost as number })).rejects.toThrow(message);
    expect(bucket.stats()).toMatchObject({ tokens: 5, waiting: 0, granted: 0 });
  });

  test.each<[ask: AcquireOptions, message: string]>([
    [{ maxWaitMs: -1 }, 'acquire: maxWaitMs must be a finite number ≥ 0, got -1'],
    [{ maxWaitMs: Number.NaN }, 'acquire: maxWaitMs must be a finite number ≥ 0, got NaN'],
    [{ priority: 1 }, 'priority must be 0 at a limit without `queue: priorityQueue()`, got 1'],
    [{ retry: 1 as never }, 'acquire: retry must be true or false, got 1'],
  ])('%j throws even while tokens are available', async (ask, message) => {
    await expect(setUp().bucket.acquire(ask)).rejects.toThrow(message);
  });
});

test.each<[options: unknown, message: string, type: ErrorConstructor]>([
  [{}, 'tokenBucket: refillPerSecond must be a number from 1e-9 to 1e9, got undefined', TypeError],
  [{ refillPerSecond: 0 }, 'refillPerSecond must be a number from 1e-9 to 1e9, got 0', RangeError],
  [{ refillPerSecond: Number.POSITIVE_INFINITY }, 'from 1e-9 to 1e9, got Infinity', RangeError],
  [{ refillPerSecond: '500' }, 'refillPerSecond must be a number from 1e-9 to 1e9, got "500"', TypeError],
  [{ refillPerSecond: 1, capacity: 0 }, 'tokenBucket: capacity must be', RangeError],
  [
    { refillPerSecond: 1, capacity: 5, initialTokens: 6 },
    'initialTokens must be at most the capacity, 5',
    RangeError,
  ],
  [{ refillPerSecond: 1, initialTokens: -1 }, 'initialTokens must be a finite number ≥ 0', RangeError],
  [{ refillPerSecond: 1, refillIntervalMs: -1 }, 'refillIntervalMs must be', RangeError],
  [{ refillPerSecond: 1, nonConforming: 5 }, "must be one of 'delay', 'reject', 'mark'", TypeError],
  [{ refillPerSecond: 1, nonConforming: 'drop' }, "must be one of 'delay', 'reject', 'mark'", RangeError],
  [{ refillPerSecond: 1, maxQueue: 1.5 }, 'maxQueue must be a whole number ≥ 0', RangeError],
  [{ refillPerSecond: 1, queue: 'fifo' }, 'queue must be what priorityQueue returns, got "fifo"', TypeError],
  [{ refillPerSecond: 1, maxWaitMs: -1 }, 'maxWaitMs must be', RangeError],
  [
    { refillPerSecond: 1, settled: true },
    'tokenBucket: settled must be left out: a limit of `quotaBucket` takes it, also as the only one, got true',
    TypeError,
  ],
  [{ refillPerSecond: 1, limits: {} }, 'tokenBucket has no option "limits"', TypeError],
  [{ refillPerSecond: 1, feedback: true }, 'feedback must be a function', TypeError],
  [{ refillPerSecond: 1, rate: 5 }, 'tokenBucket has no option "rate"', TypeError],
  [5, 'tokenBucket: options must be an object, got 5', TypeError],
])('%j is refused', (options, message, type) => {
  const make = () => tokenBucket(options as TokenBucketOptions);
  expect(make).toThrow(type);
  expect(make).toThrow(message);
});

test.each([
  [500, 100],
  [7, 2],
  [0.1, 1],
])('at %d a second the default capacity is %d', (refillPerSecond, capacity) => {
  expect(tokenBucket({ refillPerSecond }).stats()).toMatchObject({ capacity, tokens: capacity });
});

describe('priorities', () => {
  async function order(
    asks: Record<string, AcquireOptions & { afterMs?: number }>,
    agingMs?: number,
  ): Promise<string[]> {
    const { bucket, clock } = setUp({
      initialTokens: 0,
      capacity: 1,
      refillPerSecond: 1,
      queue: priorityQueue({ agingMs }),
    });
    const { lines, follow } = journal(clock);
    for (const [name, { afterMs = 0, ...ask }] of Object.entries(asks)) {
      await clock.advance(afterMs);
      follow(name, bucket.acquire(ask));
    }
    await clock.advance(100_000);
    return lines.map((line) => line.split(' ')[0] ?? '');
  }

  test('the highest goes first, and a retry before new requests of its priority', async () => {
    const asks = {
      new: {},
      low: { priority: -7 },
      retry: { retry: true },
      high: { priority: 7 },
      another: {},
      highRetry: { priority: 7, retry: true },
    };
    expect(await order(asks)).toEqual(['highRetry', 'high', 'retry', 'new', 'another', 'low']);
  });

  test('a request that has waited longer than agingMs goes before a higher priority', async () => {
    const asks = {
      // Nothing goes before 1,000 ms.
      low: {},
      early: { priority: 1, afterMs: 400 },
      late: { priority: 1, afterMs: 200 },
    };
    expect(await order(asks, 500)).toEqual(['early', 'low', 'late']);
    expect(await order(asks, 1_000)).toEqual(['early', 'late', 'low']);
  });

  test('a higher priority takes tokens that are too few for the first in line', async () => {
    const { bucket, clock } = setUp({ initialTokens: 2, queue: priorityQueue() });
    const { lines, follow } = journal(clock);
    follow('large', bucket.acquire({ cost: 5 }));
    follow('urgent', bucket.acquire({ cost: 2, priority: 1 }));
    await clock.advance(1_000);
    expect(lines).toEqual(['urgent 0', 'large 500']);
  });
});

describe('a full queue', () => {
  const asks: Record<string, AcquireOptions> = {
    a: {},
    b: { priority: -1 },
    c: {},
    d: { priority: 1 },
    e: {},
  };
  test.each<[options: Partial<TokenBucketOptions>, lines: string[]]>([
    [{ maxQueue: 0, queue: priorityQueue() }, ['a', 'b', 'c', 'd', 'e'].map((name) => `${name} queue-full`)],
    [{ maxQueue: 3, queue: priorityQueue() }, ['d queue-full', 'e queue-full', 'a 100', 'c 200', 'b 300']],
    // The last of the lowest priority is displaced by a higher one only.
    [
      { maxQueue: 3, queue: priorityQueue({ overflow: 'drop-lowest' }) },
      ['b displaced', 'e queue-full', 'd 100', 'a 200', 'c 300'],
    ],
    [
      { maxQueue: 3, queue: priorityQueue({ overflow: 'drop-oldest' }) },
      ['a displaced', 'b displaced', 'd 100', 'c 200', 'e 300'],
    ],
    [
      { maxQueue: 1, queue: priorityQueue({ overflow: 'drop-oldest' }) },
      ['a', 'b', 'c', 'd'].map((name) => `${name} displaced`),
    ],
  ])('with %j', async (options, expected) => {
    const { bucket, clock } = setUp({ initialTokens: 0, ...options });
    const { lines, follow } = journal(clock);
    for (const [name, ask] of Object.entries(asks)) {
      follow(name, bucket.acquire(ask));
      await clock.advance(1);
    }
    await clock.advance(1_000);
    expect(
      lines.slice(0, expected.length).map((line) => line.replace(/(queue-full|displaced) .*/, '$1')),
    ).toEqual(expected);
    expect(bucket.stats().waiting).toBe(0);
  });
});

describe('aborts', () => {
  test('end the wait at once with the reason of the signal', async () => {
    const { bucket, clock } = setUp({ initialTokens: 0 });
    const controller = new AbortController();
    const waiting = outcome(bucket.acquire({ signal: controller.signal }));
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await waiting).toBe(reason);
    expect(clock.pending).toBe(0);
    expect(await outcome(bucket.acquire({ signal: controller.signal }))).toBe(reason);
    expect(bucket.stats()).toMatchObject({ waiting: 0, refused: 0 });
  });

  test('let the next request go if its tokens are available', async () => {
    const { bucket, clock } = setUp({ initialTokens: 2 });
    const { lines, follow } = journal(clock);
    const controller = new AbortController();
    follow('large', bucket.acquire({ cost: 5, signal: controller.signal }));
    follow('small', bucket.acquire({ cost: 2 }));
    controller.abort('gone');
    await clock.advance(0);
    expect(lines).toEqual(
      ['large gone 0', 'small 0'].sort((one, other) => lines.indexOf(one) - lines.indexOf(other)),
    );
    expect(lines).toHaveLength(2);
  });

  test('share one listener per signal, which is removed with the last request', async () => {
    const { bucket, clock } = setUp({ initialTokens: 0 });
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    for (let index = 0; index < 100; index += 1) {
      void bucket.acquire({ signal, retry: index % 2 === 0, maxWaitMs: index % 3 === 0 ? 1e6 : undefined });
    }
    await clock.advance(9_900);
    expect(remove).not.toHaveBeenCalled();
    await clock.advance(100);
    expect(add).toHaveBeenCalledOnce();
    expect(remove).toHaveBeenCalledOnce();
    // The next request adds a listener again.
    void bucket.acquire({ cost: 5, signal });
    expect(add).toHaveBeenCalledTimes(2);
  });

  test('share one listener per signal across buckets', async () => {
    const clock = virtualClock({ startMs: 0 });
    const buckets = perKey(() => tokenBucket({ refillPerSecond: 1, capacity: 1, initialTokens: 0, clock }), {
      clock,
    });
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    const waits = Array.from({ length: 50 }, (_, host) => {
      const url = `https://h${host}.test/`;
      return buckets
        .for({ method: 'GET', url, replayable: true, header: () => undefined })
        .acquire({ signal });
    });
    expect(add).toHaveBeenCalledOnce();
    await clock.advance(1_000);
    await Promise.all(waits);
    expect(remove).toHaveBeenCalledOnce();
  });

  test('end only the requests of their signal, whichever have left before', async () => {
    const { bucket, clock } = setUp({ initialTokens: 0, queue: priorityQueue() });
    const [mine, yours] = [new AbortController(), new AbortController()];
    const settled = new Map<string, number>([
      ['granted', 0],
      ['mine', 0],
      ['yours', 0],
    ]);
    for (let index = 0; index < 400; index += 1) {
      const whose = index % 4 === 0 ? 'mine' : 'yours';
      const { signal } = whose === 'mine' ? mine : yours;
      const count = (what: string) => settled.set(what, (settled.get(what) ?? 0) + 1);
      bucket.acquire({ signal, priority: index % 2 }).then(
        () => count('granted'),
        () => count(whose),
      );
    }
    await clock.advance(30_000);
    mine.abort();
    await clock.advance(0);
    const { granted = 0, mine: left = 0, yours: others } = Object.fromEntries(settled);
    expect(granted).toBe(300);
    expect(others).toBe(0);
    expect(bucket.stats().waiting).toBe(400 - granted - left);
    yours.abort();
    await clock.advance(0);
    expect([...settled.values()].reduce((sum, count) => sum + count)).toBe(400);
    expect(clock.pending).toBe(0);
  });
});
