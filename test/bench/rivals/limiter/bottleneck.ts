import Bottleneck from 'bottleneck';
import type { LimiterRival } from '../limiter.ts';

export default {
  promised: 'fixed windows',
  waiters: 'few',
  make({ limit, intervalMs }) {
    const limiter = new Bottleneck({
      reservoir: limit,
      reservoirRefreshAmount: limit,
      reservoirRefreshInterval: intervalMs,
    });
    return {
      take: () => limiter.schedule(async () => {}),
      takeTimed: () => limiter.schedule(async () => performance.now()),
      close: () => limiter.disconnect(),
    };
  },
  bundle: `export { default } from 'bottleneck/light'`,
} satisfies LimiterRival;
