import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test, vi } from 'vitest';
import { asked, responds, taken, to } from '../../../test/asks.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { Grant } from '../../policy/contracts.ts';
import { fifo } from '../../queue/fifo.ts';
import { priorityQueue } from '../../queue/order.ts';
import type { QueueOrder } from '../../queue/queue.ts';
import { virtualClock } from '../../testing.ts';
import type { TokenBucketOptions } from './options.ts';
import { tokenBucket } from './token-bucket.ts';

/** A bucket of ten a second and five at once by default. */
function setUp(options: Partial<TokenBucketOptions> = {}) {
  const base = { refillPerSecond: 10, capacity: 5, random: () => 0 };
  return asked((clock) => tokenBucket({ ...base, clock, ...options }));
}

async function outcome(promise: Promise<Grant>): Promise<unknown> {
  return promise.then(
    (grant) => grant.waitedMs,
    (error: unknown) => error,
  );
}

describe('waiting', () => {
  test('a grant has its cost, its wait and its time', async () => {
    const clock = virtualClock({ startMs: 1_000_000 });
    const { bucket } = setUp({ clock });
    bucket.tryAcquire(5);
    const granted = bucket.acquire({ cost: 2 });
    await clock.advance(1_000);
    expect(await granted).toMatchObject({ cost: 2, waitedMs: 200, grantedAtMs: 1_000_200, conforming: true });
  });

  test('no request overtakes the queue, however little it costs', async () => {
    const { bucket, clock, lines, ask } = setUp({ initialTokens: 2, queue: priorityQueue() });
    ask('large', { cost: 5 });
    expect(bucket.tryAcquire(1)).toBeUndefined();
    expect(bucket.tryAcquire(1)).toBeUndefined();
    ask('small', { cost: 1 });
    await clock.advance(1_000);
    expect(lines).toEqual(['large 300', 'small 400']);
    expect(bucket.tryAcquire(1)).toBeDefined();
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
});

describe('non-conforming requests', () => {
  test("are refused at once with 'reject'", async () => {
    const { bucket, clock } = setUp({ nonConforming: 'reject', initialTokens: 1 });
    expect(await outcome(bucket.acquire())).toBe(0);
    expect(await outcome(bucket.acquire({ cost: 2 }))).toMatchObject({
      name: 'NotSentError',
      reason: 'not-conforming',
      message: 'Not sent: its tokens are not available',
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

describe('wrong arguments', () => {
  const bad: [cost: unknown, type: ErrorConstructor][] = [
    [0, RangeError],
    [Number.NaN, RangeError],
    [5.1, RangeError],
    ['1', TypeError],
    [null, TypeError],
  ];
  test.each(bad)('cost %s throws at once', async (cost, type) => {
    const { bucket } = setUp();
    const message = 'cquire: cost must be a number > 0 and ≤ the capacity, 5, got';
    expect(() => bucket.tryAcquire(cost as number)).toThrow(message);
    expect(() => bucket.tryAcquire(cost as number)).toThrow(type);
    await expect(bucket.acquire({ cost: cost as number })).rejects.toThrow(type);
    await expect(bucket.acquire({ cost: cost as number })).rejects.toThrow(message);
    expect(bucket.stats()).toMatchObject({ tokens: 5, waiting: 0, granted: 0 });
  });
});

test.each<[options: unknown, message: string, type: ErrorConstructor]>([
  [{}, 'tokenBucket: refillPerSecond must be a number from 1e-9 to 1e9, got undefined', TypeError],
  [{ refillPerSecond: 0 }, 'refillPerSecond must be a number from 1e-9 to 1e9, got 0', RangeError],
  [{ refillPerSecond: 1.1e9 }, 'from 1e-9 to 1e9, got 1100000000', RangeError],
  [{ refillPerSecond: 1, capacity: 1e9 + 1 }, 'capacity must be a number from 1e-9 to 1e9, got', RangeError],
  [{ refillPerSecond: 1, capacity: 5, initialTokens: 6 }, 'initialTokens must be at most the', RangeError],
  [{ refillPerSecond: 1, initialTokens: -1 }, 'initialTokens must be a finite number ≥ 0', RangeError],
  [{ refillPerSecond: 1, refillIntervalMs: 1e-4 }, 'must be 0, or a number from 0.001', RangeError],
  [{ refillPerSecond: 1, nonConforming: 'drop' }, "must be one of 'delay', 'reject', 'mark'", RangeError],
  [{ refillPerSecond: 1, maxQueue: 1.5 }, 'maxQueue must be a whole number ≥ 0', RangeError],
  [{ refillPerSecond: 1, queue: 'fifo' }, 'queue must be what priorityQueue returns, got "fifo"', TypeError],
  [{ refillPerSecond: 1, maxWaitMs: -1 }, 'maxWaitMs must be', RangeError],
  [{ refillPerSecond: 1, feedbackScope: 'host' }, "must be one of 'origin', 'bucket', got", RangeError],
  [
    { refillPerSecond: 1, chargeOn: 'completion' },
    'tokenBucket: chargeOn must be left out: a limit of `quotaBucket` takes it, also as the only one, got "completion"',
    TypeError,
  ],
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

describe('what most requests need not pay for', () => {
  test('a bucket makes no queue for requests that need not wait', async () => {
    let made = 0;
    const queue: QueueOrder = {
      make(sums) {
        made += 1;
        return fifo.make(sums);
      },
    };
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 2, clock: virtualClock(), queue });
    await bucket.acquire();
    await bucket.acquire();
    expect(made).toBe(0);
    const waiting = bucket.acquire();
    expect(made).toBe(1);
    await Promise.all([bucket.close(), expect(waiting).rejects.toMatchObject({ reason: 'closed' })]);
  });

  const success = responds(204);

  test.each<[story: string, outcome: Outcome, reads: boolean]>([
    ['a success', success, false],
    [
      'a success that an inspector has judged',
      { ...success, advice: { verdict: 'refused' } } as Outcome,
      true,
    ],
    ['a redirect', responds(300), true],
    ['a failure', { type: 'failure', kind: 'network', error: 1 } as Outcome, true],
  ])('the clock is read for the answer: %s', (_, outcome, reads) => {
    const clock = virtualClock();
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 2, clock });
    const grant = taken(bucket.tryAcquire());
    const now = vi.spyOn(clock, 'now');
    bucket.observe?.(outcome, grant, to('https://a.test/'));
    expect(now.mock.calls.length > 0).toBe(reads);
  });
});
