import { describe, expect, test } from 'vitest';
import type { TokenBucketOptions } from '../limits/bucket/options.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { concurrencyLimit } from '../limits/concurrency/concurrency.ts';
import type { AcquireOptions } from '../policy/contracts.ts';
import { createPolicy } from '../policy/policy.ts';
import { virtualClock } from '../testing.ts';
import { fairQueue } from './fair-queue.ts';
import { priorityQueue } from './order.ts';

/** A bucket of 100 tokens a second, empty at first. */
function setUp(options: Partial<TokenBucketOptions> = {}) {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({
    ...{ refillPerSecond: 100, capacity: 1, initialTokens: 0, queue: fairQueue(), clock },
    ...options,
  });
  /** Who was granted tokens, and who was refused why. */
  const lines: string[] = [];
  const ask = (fairKey: string | undefined, asked: AcquireOptions = {}, name = fairKey): Promise<void> =>
    bucket.acquire({ fairKey, ...asked }).then(
      () => void lines.push(`${name}`),
      (error) => void lines.push(`${name} ${error.reason ?? error}`),
    );
  const askMany = (count: number, fairKey: string, asked?: AcquireOptions): void => {
    for (let asks = 0; asks < count; asks += 1) void ask(fairKey, asked);
  };
  return { clock, bucket, lines, ask, askMany };
}

describe('shares', () => {
  test('new keys for ever starve no one', async () => {
    const { clock, bucket, lines, askMany } = setUp();
    askMany(100, 'old');
    const arrive = async (): Promise<void> => {
      for (let key = 0; key < 1_000; key += 1) await bucket.acquire({ fairKey: `new ${key}` });
    };
    void arrive();
    void arrive();
    await clock.advance(4_000);
    expect(lines.length).toBeGreaterThan(80);
  });
});

test('a weight is asked for when a key is new, and again when it has been forgotten', async () => {
  const asked: string[] = [];
  const weightOf = (key: string): number => asked.push(key);
  const { clock, bucket, askMany } = setUp({ queue: fairQueue({ weightOf }) });
  askMany(3, 'a');
  askMany(3, 'b');
  expect(asked).toEqual(['a', 'b']);
  await clock.advance(100);
  expect(bucket.stats()).toMatchObject({ waiting: 0, waitingCost: 0, granted: 6 });
  expect(clock.pending).toBe(0);
  askMany(1, 'a');
  expect(asked).toEqual(['a', 'b', 'a']);
});

test.each([5, null, {}, Symbol('a')])('a key that is no string (%s) is an error', async (fairKey) => {
  const { bucket } = setUp();
  const limit = concurrencyLimit({ maxConcurrent: 1, queue: fairQueue() });
  for (const asked of [bucket.acquire({ fairKey } as never), limit.acquire({ fairKey } as never)]) {
    await expect(asked).rejects.toThrow(TypeError);
  }
  await expect(bucket.acquire({ fairKey } as never)).rejects.toThrow('fairKey must be a string');
});

test.each([undefined, priorityQueue()])('a key at a queue without shares is an error', async (queue) => {
  const { bucket } = setUp({ queue });
  const asked = bucket.acquire({ fairKey: 'a' });
  await expect(asked).rejects.toThrow(TypeError);
  await expect(asked).rejects.toThrow('fairKey must be left out at a limit without `queue: fairQueue()`');
});

test.each(['a', () => 'a'])('a policy with keys at a queue without shares is an error at once', (fairKey) => {
  const fair = tokenBucket({ refillPerSecond: 1, queue: fairQueue() });
  expect(() => createPolicy({ bucket: fair, fairKey })).not.toThrow();
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  for (const limits of [{ bucket: fair, concurrency }, { bucket: tokenBucket({ refillPerSecond: 1 }) }]) {
    expect(() => createPolicy({ ...limits, fairKey })).toThrow('fairKey must be left out at a limit without');
  }
});

test.each<[weight: unknown, kind: typeof RangeError]>([
  [0, RangeError],
  [-1, RangeError],
  [Number.NaN, RangeError],
  [Number.POSITIVE_INFINITY, RangeError],
  ['2', TypeError],
  [undefined, TypeError],
])('a wrong weight, %s, is an error that names the key', async (weight, kind) => {
  const { bucket } = setUp({ queue: fairQueue({ weightOf: () => weight as number }) });
  const asked = bucket.acquire({ fairKey: 'tenant-7' });
  await expect(asked).rejects.toThrow(kind);
  await expect(asked).rejects.toThrow('fairQueue: weightOf("tenant-7") must be a finite number > 0, got');
});

test.each([5e-324, 1e-300, 1e300])('a weight of %s blocks no one', async (weight) => {
  const weightOf = (key: string): number => (key === 'odd' ? weight : 1);
  const { clock, bucket, askMany } = setUp({ queue: fairQueue({ weightOf }), maxQueue: 8 });
  for (const key of ['odd', 'a', 'odd', 'b']) askMany(3, key);
  await clock.advance(1_000);
  expect(bucket.stats()).toMatchObject({ waiting: 0, granted: 8 });
});

test.each<[options: object, message: string]>([
  [{ weightOf: 5 }, 'fairQueue: weightOf must be a function, got 5'],
  [{ overflow: 'drop-oldest' }, "fairQueue: overflow must be one of 'drop-longest', 'reject'"],
  [{ agingMs: -1 }, 'fairQueue: agingMs must be a finite number > 0, got -1'],
  [{ quantum: 5 }, 'fairQueue has no option "quantum"'],
])('fairQueue refuses %j', (options, message) => {
  expect(() => fairQueue(options)).toThrow(message);
});
