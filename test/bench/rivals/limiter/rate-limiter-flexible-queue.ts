import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible';
import type { LimiterRival } from '../limiter.ts';

export default {
  promised: 'fixed windows',
  waiters: 'few',
  make({ limit, intervalMs }) {
    const limiter = new RateLimiterMemory({ points: limit, duration: intervalMs / 1_000 });
    const queue = new RateLimiterQueue(limiter);
    return { take: () => queue.removeTokens(1) };
  },
  bundle: `export { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible'`,
} satisfies LimiterRival;
