import { tokenBucket } from '@ebb/core';
import axios, { type InternalAxiosRequestConfig } from 'axios';
import rateLimit from 'axios-rate-limit';
import Bottleneck from 'bottleneck';
import { RateLimiter, TokenBucket } from 'limiter';
import PQueue from 'p-queue';
import pThrottle from 'p-throttle';

/** Resolves when a call may be made, or was made. */
export type Take = () => Promise<unknown>;

const nothing = async (): Promise<void> => {};

/** An upstream that takes 5 ms. */
const adapter = async (config: InternalAxiosRequestConfig) => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { data: '', status: 200, statusText: '', headers: {}, config };
};

/** Ten calls in an interval, as each library says it. */
export const LIMITERS: Readonly<Record<string, (intervalMs: number) => Take>> = {
  'ebb, defaults': (intervalMs) => {
    const bucket = tokenBucket({ refillPerSecond: 10_000 / intervalMs });
    return () => bucket.acquire();
  },
  'ebb, `capacity: 1`': (intervalMs) => {
    const bucket = tokenBucket({ refillPerSecond: 10_000 / intervalMs, capacity: 1 });
    return () => bucket.acquire();
  },
  'ebb, `capacity: 10`': (intervalMs) => {
    const bucket = tokenBucket({ refillPerSecond: 10_000 / intervalMs, capacity: 10 });
    return () => bucket.acquire();
  },
  'ebb, `capacity: 5`, 5 a second': (intervalMs) => {
    const bucket = tokenBucket({ refillPerSecond: 5_000 / intervalMs, capacity: 5 });
    return () => bucket.acquire();
  },
  'ebb, `refillIntervalMs: 1_000`': (refillIntervalMs) => {
    const refillPerSecond = 10_000 / refillIntervalMs;
    const bucket = tokenBucket({ refillPerSecond, capacity: 10, refillIntervalMs });
    return () => bucket.acquire();
  },
  'bottleneck, `reservoir`': (intervalMs) => {
    const limiter = new Bottleneck({
      reservoir: 10,
      reservoirRefreshAmount: 10,
      reservoirRefreshInterval: intervalMs,
    });
    return () => limiter.schedule(nothing);
  },
  'bottleneck, `minTime`': (intervalMs) => {
    const limiter = new Bottleneck({ minTime: intervalMs / 10 });
    return () => limiter.schedule(nothing);
  },
  'p-throttle': (intervalMs) => pThrottle({ limit: 10, interval: intervalMs })(nothing),
  'p-throttle, `strict`': (intervalMs) =>
    pThrottle({ limit: 10, interval: intervalMs, strict: true })(nothing),
  'p-queue': (intervalMs) => {
    const queue = new PQueue({ intervalCap: 10, interval: intervalMs });
    return () => queue.add(nothing);
  },
  'p-queue, `strict`': (intervalMs) => {
    const queue = new PQueue({ intervalCap: 10, interval: intervalMs, strict: true });
    return () => queue.add(nothing);
  },
  'axios-rate-limit': (intervalMs) => {
    const client = rateLimit(axios.create({ adapter }), { maxRequests: 10, perMilliseconds: intervalMs });
    return () => client.get('http://upstream.test/');
  },
  'limiter, `RateLimiter`': (intervalMs) => {
    const limiter = new RateLimiter({ tokensPerInterval: 10, interval: intervalMs });
    return () => limiter.removeTokens(1);
  },
  'limiter, `TokenBucket`': (intervalMs) => {
    const bucket = new TokenBucket({ bucketSize: 10, tokensPerInterval: 10, interval: intervalMs });
    return () => bucket.removeTokens(1);
  },
};
