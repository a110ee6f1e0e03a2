import Bottleneck from 'bottleneck';
import type { ModelLimiterRival } from '../model-limiter.ts';

export default {
  used: 'tokens a minute: a `reservoir`, the bound as `weight`',
  make({ tokens }) {
    const limiter = new Bottleneck({
      reservoir: tokens,
      reservoirRefreshAmount: tokens,
      reservoirRefreshInterval: 60_000,
    });
    return (bound, send) => limiter.schedule({ weight: bound }, send);
  },
} satisfies ModelLimiterRival;
