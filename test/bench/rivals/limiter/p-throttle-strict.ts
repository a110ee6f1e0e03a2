import pThrottle from 'p-throttle';
import type { LimiterRival } from '../limiter.ts';

export default {
  promised: 'any window',
  make({ limit, intervalMs }) {
    const throttle = pThrottle({ limit, interval: intervalMs, strict: true });
    return { take: throttle(async () => {}), takeTimed: throttle(async () => performance.now()) };
  },
} satisfies LimiterRival;
