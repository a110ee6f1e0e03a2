import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { LimiterRival } from '../limiter.ts';

export default {
  promised: 'fixed windows',
  waiters: 'none',
  make({ limit, intervalMs }) {
    const limiter = new RateLimiterMemory({ points: limit, duration: intervalMs / 1_000 });
    return { take: () => limiter.consume('key') };
  },
} satisfies LimiterRival;
