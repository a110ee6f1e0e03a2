import { ebbInterceptor } from '@ebb/axios';
import { tokenBucket } from '@ebb/core';
import axios from 'axios';
import rateLimit from 'axios-rate-limit';
import Bottleneck from 'bottleneck';
import { RateLimiter, TokenBucket } from 'limiter';
import PQueue from 'p-queue';
import pThrottle from 'p-throttle';
import { describe, expect, test, vi } from 'vitest';
import { endOf, fakeTime, HOUR } from './fake-time.ts';
import type { Take } from './limiters.ts';

fakeTime();

const nothing = async (): Promise<void> => {};

describe('one waiting call is aborted', () => {
  const aborted = new Error('no longer needed');

  test('ebb: it ends at once, and costs nothing', async () => {
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1 });
    await bucket.acquire();
    const controller = new AbortController();
    const one = bucket.acquire({ signal: controller.signal });
    const two = bucket.acquire();
    controller.abort(aborted);
    expect(await endOf(one)).toBe(aborted);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await endOf(two)).toMatchObject({ waitedMs: 1_000 });
  });

  test('ebb in axios: the same, as a CanceledError', async () => {
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1 });
    const client = axios.create({ adapter: async () => ({ data: '', status: 200 }) as never });
    client.interceptors.request.use(ebbInterceptor({ bucket }));
    await client.get('http://upstream.test/');
    const controller = new AbortController();
    const one = client.get('http://upstream.test/', { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect(axios.isCancel(await endOf(one))).toBe(true);
  });

  test('p-queue: the same', async () => {
    const queue = new PQueue({ intervalCap: 1, interval: 1_000 });
    void queue.add(nothing);
    const controller = new AbortController();
    const one = queue.add(nothing, { signal: controller.signal });
    const two = queue.add(nothing);
    controller.abort(aborted);
    expect(await endOf(one)).toBe(aborted);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await endOf(two)).toBe('done');
  });

  test('p-throttle: all waiting calls end, and the limit is forgotten', async () => {
    const controller = new AbortController();
    let calls = 0;
    const throttled = pThrottle({ limit: 10, interval: HOUR, signal: controller.signal })(async () => {
      calls += 1;
    });
    const waiting = Array.from({ length: 20 }, () => throttled()).slice(10);
    controller.abort(aborted);
    expect(await Promise.all(waiting.map(endOf))).toEqual(waiting.map(() => aborted));
    for (let n = 0; n < 10; n += 1) void throttled();
    expect(calls).toBe(20);
  });

  test('axios-rate-limit: it ends when its turn comes, not as a CanceledError', async () => {
    const client = rateLimit(axios.create({ adapter: async () => ({ data: '' }) as never }), {
      maxRequests: 1,
      perMilliseconds: HOUR,
    });
    void client.get('http://upstream.test/');
    const controller = new AbortController();
    const one = client.get('http://upstream.test/', { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await vi.advanceTimersByTimeAsync(HOUR - 100);
    expect(await endOf(one)).toBe('pending');
    await vi.advanceTimersByTimeAsync(200);
    const end = await endOf(one);
    expect(end).toMatchObject({ name: 'AbortError' });
    expect(axios.isCancel(end)).toBe(false);
  });
});

describe('a call that costs more than the limit', () => {
  test('ebb, p-throttle and limiter: an error at once', async () => {
    await expect(tokenBucket({ refillPerSecond: 10, capacity: 10 }).acquire({ cost: 11 })).rejects.toThrow(
      RangeError,
    );
    const throttled = pThrottle({ limit: 10, interval: 1_000, weight: () => 11 })(nothing);
    await expect(throttled()).rejects.toThrow(TypeError);
    const limiter = new RateLimiter({ tokensPerInterval: 10, interval: 1_000 });
    await expect(limiter.removeTokens(11)).rejects.toThrow(RangeError);
  });

  test('bottleneck with maxConcurrent: an error', async () => {
    const limiter = new Bottleneck({ maxConcurrent: 10 });
    const heavy = limiter.schedule({ weight: 11 }, nothing);
    heavy.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await endOf(heavy)).toBeInstanceOf(Bottleneck.BottleneckError);
  });

  test('bottleneck with a reservoir: it and all calls behind it wait for ever', async () => {
    const limiter = new Bottleneck({
      reservoir: 10,
      reservoirRefreshAmount: 10,
      reservoirRefreshInterval: 1_000,
    });
    const heavy = limiter.schedule({ weight: 11 }, nothing);
    const light = limiter.schedule(nothing);
    await vi.advanceTimersByTimeAsync(HOUR / 4);
    expect(await Promise.all([heavy, light].map(endOf))).toEqual(['pending', 'pending']);
  });
});

describe('a call that takes too long', () => {
  /** The most functions that ran at once, of five that each take a second. */
  async function mostAtOnce(start: (call: () => Promise<void>) => Promise<unknown>): Promise<number> {
    let running = 0;
    let most = 0;
    const calls = Array.from({ length: 5 }, () =>
      start(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        running -= 1;
      }).catch(() => undefined),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    await Promise.all(calls);
    return most;
  }

  test('bottleneck and p-queue give its place to the next while it still runs', async () => {
    const limiter = new Bottleneck({ maxConcurrent: 1 });
    expect(await mostAtOnce((call) => limiter.schedule({ expiration: 100 }, call))).toBe(5);
    const queue = new PQueue({ concurrency: 1, timeout: 100 });
    expect(await mostAtOnce((call) => queue.add(call))).toBe(5);
  });
});

test('40 calls at one a day: p-throttle sends those at once that would wait for more than 24.8 days', async () => {
  vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const callsAtOnce = async (take: Take): Promise<number> => {
    let calls = 0;
    for (let n = 0; n < 40; n += 1) {
      void take().then(() => {
        calls += 1;
      });
    }
    await vi.advanceTimersByTimeAsync(1_000);
    return calls;
  };
  const bucket = tokenBucket({ refillPerSecond: 1 / 86_400, capacity: 1 });
  expect(await callsAtOnce(() => bucket.acquire())).toBe(1);
  expect(await callsAtOnce(pThrottle({ limit: 1, interval: 24 * HOUR })(nothing))).toBe(16);
});

test('bottleneck retries only if a listener returns a wait', async () => {
  const retried = async (limiter: Bottleneck): Promise<number> => {
    let calls = 0;
    const job = limiter.schedule(async () => {
      calls += 1;
      throw new Error('down');
    });
    const end = endOf(job);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await end).toBeDefined();
    return calls - 1;
  };
  const plain = new Bottleneck();
  const retrying = new Bottleneck();
  retrying.on('failed', (_, { retryCount }) => (retryCount < 2 ? 100 : undefined));
  expect([await retried(plain), await retried(retrying)]).toEqual([0, 2]);
});

describe('limiter', () => {
  test('a TokenBucket starts empty, and one of ebb full', async () => {
    const bucket = new TokenBucket({ bucketSize: 10, tokensPerInterval: 10, interval: 'second' });
    expect(bucket.tryRemoveTokens(1)).toBe(false);
    expect(tokenBucket({ refillPerSecond: 10 }).tryAcquire()).toMatchObject({ conforming: true });
  });

  test('tryRemoveTokens passes those who wait, tryAcquire does not', async () => {
    const theirs = new TokenBucket({ bucketSize: 10, tokensPerInterval: 10, interval: 'second' });
    const ours = tokenBucket({ refillPerSecond: 10, capacity: 10, initialTokens: 0 });
    const waiting = [theirs.removeTokens(5), ours.acquire({ cost: 5 })];
    await vi.advanceTimersByTimeAsync(200);
    expect([theirs.tryRemoveTokens(1), ours.tryAcquire()]).toEqual([true, undefined]);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(waiting);
  });
});
