import { Redis } from 'ioredis';
import { RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible';
import type { SharedLimiterRival } from '../shared-limiter.ts';

export default {
  promised: 'fixed windows',
  async make(storeUrl, { limit, intervalMs }) {
    const storeClient = new Redis(storeUrl);
    const limiter = new RateLimiterRedis({ storeClient, points: limit, duration: intervalMs / 1_000 });
    const queue = new RateLimiterQueue(limiter);
    return { take: () => queue.removeTokens(1), close: () => storeClient.disconnect() };
  },
} satisfies SharedLimiterRival;
