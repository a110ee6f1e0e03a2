import { exponentialMs, type ModelLimiterRival } from '../model-limiter.ts';

/**
 * The rule of LiteLLM for `itpm` and `otpm` (beta): the bound is reserved in the counter of the minute on the clock before a request
 * is sent, and corrected there by the usage. There is no queue: refused requests try again after a backoff. Modelled, because it is a
 * Python proxy.
 */
export default {
  used: 'its rule for `itpm`, `otpm`: reserves the bound, corrects it',
  make(limits, clock, random) {
    const counters = new Map<number, { requests: number; tokens: number }>();
    const counter = () => {
      const minute = Math.floor(clock.now() / 60_000);
      const found = counters.get(minute) ?? { requests: 0, tokens: 0 };
      counters.set(minute, found);
      return found;
    };
    return async (bound, send) => {
      let mine = counter();
      for (
        let failures = 0;
        mine.requests >= limits.requests || mine.tokens + bound > limits.tokens;
        failures += 1
      ) {
        await clock.sleep(exponentialMs(failures, random));
        mine = counter();
      }
      mine.requests += 1;
      mine.tokens += bound;
      const answer = await send();
      mine.tokens += (answer.used ?? 0) - bound;
      return answer;
    };
  },
} satisfies ModelLimiterRival;
