import type { ModelLimiterRival } from '../model-limiter.ts';

/** How long nothing is sent after a refusal. */
const PAUSE_MS = 15_000;

/**
 * The rule of the parallel processor of OpenAI's cookbook: capacities of requests and tokens that refill continuously; a request
 * takes its bound, and nothing comes back. After a refusal nothing is sent for 15 s. Modelled, because it is a Python script.
 */
export default {
  used: 'its rule, with the whole limits',
  make(limits, clock) {
    let [requests, tokens, atMs, refusedAtMs] = [limits.requests, limits.tokens, clock.now(), -PAUSE_MS];
    let turn = Promise.resolve();
    const refill = (): void => {
      const minutes = (clock.now() - atMs) / 60_000;
      requests = Math.min(limits.requests, requests + minutes * limits.requests);
      tokens = Math.min(limits.tokens, tokens + minutes * limits.tokens);
      atMs = clock.now();
    };
    /** One request at a time waits for its tokens, and the others behind it. */
    const enter = async (bound: number): Promise<void> => {
      for (;;) {
        refill();
        const pausedMs = refusedAtMs + PAUSE_MS - clock.now();
        const lacking = Math.max((bound - tokens) / limits.tokens, (1 - requests) / limits.requests);
        if (pausedMs <= 0 && lacking <= 0) break;
        // It looks once in a millisecond.
        await clock.sleep(Math.max(1, Math.ceil(lacking * 60_000), pausedMs));
      }
      requests -= 1;
      tokens -= bound;
    };
    return async (bound, send) => {
      turn = turn.then(() => enter(bound));
      await turn;
      const answer = await send();
      if (answer.response.status === 429) refusedAtMs = clock.now();
      return answer;
    };
  },
} satisfies ModelLimiterRival;
