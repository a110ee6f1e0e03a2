import PQueue from 'p-queue';
import type { LimiterRival } from '../limiter.ts';

export default {
  promised: 'any window',
  waiters: 'few',
  make({ limit, intervalMs }) {
    const queue = new PQueue({ intervalCap: limit, interval: intervalMs, strict: true });
    return {
      take: () => queue.add(async () => {}),
      takeTimed: () => queue.add(async () => performance.now()),
    };
  },
} satisfies LimiterRival;
