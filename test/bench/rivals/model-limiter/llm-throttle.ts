import { LLMThrottle } from '@aid-on/llm-throttle';
import type { ModelLimiterRival } from '../model-limiter.ts';

export default {
  used: '`canProcess`, wait `availableIn`, `consume` the bound, `adjustConsumption` by the usage',
  make({ requests, tokens }, clock) {
    const quiet = () => undefined;
    const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const throttle = new LLMThrottle({ rpm: requests, tpm: tokens, clock: clock.now, logger });
    let asked = 0;
    return async (bound, send) => {
      asked += 1;
      const id = `${asked}`;
      while (!throttle.consume(id, bound))
        await clock.sleep(Math.max(1, Math.ceil(throttle.canProcess(bound).availableIn ?? 0)));
      const answer = await send();
      throttle.adjustConsumption(id, answer.used ?? 0);
      return answer;
    };
  },
} satisfies ModelLimiterRival;
