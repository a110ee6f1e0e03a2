import { TokenBucket } from 'limiter';
import { capacityOf, type LimiterRival } from '../limiter.ts';

export default {
  promised: 'bucket',
  waiters: 'few',
  make(quota) {
    const bucketSize = capacityOf(quota);
    const bucket = new TokenBucket({
      bucketSize,
      tokensPerInterval: quota.limit,
      interval: quota.intervalMs,
    });
    bucket.content = bucketSize;
    return { take: () => bucket.removeTokens(1), tryTake: () => bucket.tryRemoveTokens(1) };
  },
  bundle: `export { TokenBucket } from 'limiter'`,
} satisfies LimiterRival;
