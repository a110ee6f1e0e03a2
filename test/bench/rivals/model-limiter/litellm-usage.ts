import { exponentialMs, type ModelLimiterRival } from '../model-limiter.ts';

/**
 * The rule of LiteLLM's router for `tpm` and `rpm`: counters of the minute on the clock are looked at before a request is sent. Its
 * tokens are added when it has been answered. Refused requests try again after a backoff. Modelled, because it is a Python proxy.
 */
export default {
  used: 'its rule for `tpm`, `rpm`: looks at the counters of the minute, then sends',
  make(limits, clock, random) {
    let [minute, requests, tokens] = [0, 0, 0];
    const look = (): void => {
      const now = Math.floor(clock.now() / 60_000);
      if (now !== minute) [minute, requests, tokens] = [now, 0, 0];
    };
    return async (_, send) => {
      for (let failures = 0; ; failures += 1) {
        look();
        if (requests < limits.requests && tokens < limits.tokens) break;
        await clock.sleep(exponentialMs(failures, random));
      }
      requests += 1;
      const answer = await send();
      look();
      tokens += answer.used ?? 0;
      return answer;
    };
  },
} satisfies ModelLimiterRival;
