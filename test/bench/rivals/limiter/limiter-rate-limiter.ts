import { RateLimiter } from 'limiter';
import type { LimiterRival } from '../limiter.ts';

export default {
  promised: 'fixed windows',
  waiters: 'few',
  make({ limit, intervalMs }) {
    const limiter = new RateLimiter({ tokensPerInterval: limit, interval: intervalMs });
    return { take: () => limiter.removeTokens(1), tryTake: () => limiter.tryRemoveTokens(1) };
  },
} satisfies LimiterRival;
