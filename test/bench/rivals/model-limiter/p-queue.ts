import PQueue from 'p-queue';
import type { ModelLimiterRival } from '../model-limiter.ts';

export default {
  used: 'requests a minute: `interval`, `intervalCap`',
  make({ requests }) {
    const queue = new PQueue({ interval: 60_000, intervalCap: requests });
    return (_, send) => queue.add(send);
  },
} satisfies ModelLimiterRival;
