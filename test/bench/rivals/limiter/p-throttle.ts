import pThrottle from 'p-throttle';
import type { LimiterRival } from '../limiter.ts';

export default {
  promised: 'fixed windows',
  make({ limit, intervalMs }) {
    const throttle = pThrottle({ limit, interval: intervalMs });
    return { take: throttle(async () => {}), takeTimed: throttle(async () => performance.now()) };
  },
  bundle: `export { default } from 'p-throttle'`,
} satisfies LimiterRival;
