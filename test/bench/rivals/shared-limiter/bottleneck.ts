import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import type { SharedLimiterRival } from '../shared-limiter.ts';

export default {
  promised: 'fixed windows',
  async make(storeUrl, { limit, intervalMs }) {
    const client = new Redis(storeUrl);
    const limiter = new Bottleneck({
      id: 'bench',
      connection: new Bottleneck.IORedisConnection({ client: client as never }),
      reservoir: limit,
      reservoirRefreshAmount: limit,
      reservoirRefreshInterval: intervalMs,
    });
    await limiter.ready();
    return {
      take: () => limiter.schedule(async () => {}),
      close: async () => {
        await limiter.disconnect();
        client.disconnect();
      },
    };
  },
} satisfies SharedLimiterRival;
