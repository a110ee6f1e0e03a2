import PQueue from 'p-queue';
import type { LimiterRival } from '../limiter.ts';

export default {
  promised: 'fixed windows',
  waiters: 'few',
  make({ limit, intervalMs }) {
    const queue = new PQueue({ intervalCap: limit, interval: intervalMs });
    return {
      take: () => queue.add(async () => {}),
      takeTimed: () => queue.add(async () => performance.now()),
    };
  },
  bundle: `export { default } from 'p-queue'`,
} satisfies LimiterRival;
