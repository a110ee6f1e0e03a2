import type { HedgeOptions } from '@ebb/core';
import { HEDGES, Hedging } from '@ebb/core/hedging';
import type { BaseFetch } from './create-fetch.ts';
import { FetchRequest } from './fetch-request.ts';
import { FetchRace } from './hedged-race.ts';
import type { FetchInit, FetchInput } from './init.ts';
import { isRequest, rereadableHeaders } from './request.ts';

/** True if a call can be sent again, and aborted by a signal of ours. */
function isRepeatable(call: FetchRequest, hedging: Hedging, own: unknown): boolean {
  const { signal } = call;
  // A signal of another library, or none at all, is for the base fetch to judge.
  if (signal ? signal.aborted || signal !== own : (own ?? undefined) !== undefined) return false;
  return hedging.hedges(call.method) && !call.makeBody && call.replayable;
}

/**
 * A base fetch that sends a request a second time if it takes longer than most, and returns the response that comes first. To be
 * composed below `createFetch` with the same policy. A hedge never waits: it is sent only if it has a token of its own, a retry of
 * the budget, tokens of the bucket and a free slot. The tries that lose are aborted.
 *
 * If all tries fail, it settles as the first one did, and the client above decides on a retry.
 *
 * @param baseFetch sends each try, called without a receiver
 * @throws TypeError, RangeError if an option is wrong, or `baseFetch` hedges already
 * @example
 * ```ts
 * import { createPolicy, retryBudget } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 * import { hedged } from '@ebb/fetch/hedged';
 *
 * const policy = createPolicy({ budget: retryBudget() });
 * const fetch = createFetch(policy, hedged(globalThis.fetch, { policy }));
 *
 * const response = await fetch('https://api.example.com/');
 * ```
 */
export function hedged(baseFetch: BaseFetch, options: HedgeOptions): BaseFetch {
  const hedging = new Hedging('hedged', options);
  hedging.mustNotHedge('hedged: baseFetch', baseFetch);

  function hedgedFetch(input: FetchInput, init?: FetchInit): Promise<Response> {
    try {
      // A client of ebb between two that hedge does not show what is below.
      if (init && HEDGES in init) hedging.mustNotHedge('hedged: baseFetch', hedgedFetch);
      const headers = rereadableHeaders(init?.headers);
      const own = headers ? { ...init, headers } : init;
      const call = new FetchRequest(baseFetch, input, own);
      if (isRepeatable(call, hedging, own?.signal ?? (isRequest(input) ? input.signal : undefined)))
        return new FetchRace(hedging, baseFetch, input, own, call).start();
      // It may follow a signal.
      call.end(undefined, true);
      return baseFetch(input, own);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return hedging.mark(hedgedFetch);
}
