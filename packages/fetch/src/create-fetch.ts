import { createPolicy, type Policy, type PolicyOptions } from '@ebb/core';
import { countLayer, run, startSession } from '@ebb/core/adapter';
import { Call } from './call.ts';
import type { EbbRequestInit, FetchInit, FetchInput } from './init.ts';
import { type Preconnecting, withPreconnect } from './preconnect.ts';
import { FetchRequest } from './request.ts';

/** `fetch`, with ebb's options for a request beside its own. It is a `typeof fetch` in every runtime. */
export interface EbbFetch extends Preconnecting {
  (input: FetchInput, init?: EbbRequestInit): Promise<Response>;
}

/** Sends one attempt: the runtime's own fetch, that of a package, or a function of yours. */
export type BaseFetch = (input: FetchInput, init?: FetchInit) => Promise<Response>;

/**
 * A fetch that sends each request when the policy allows it, and again when that helps. If nothing is sent
 * again it does what `baseFetch` does: the same response, the same errors.
 *
 * @param policyOrOptions a policy to share with other clients, or the options of one
 * @param baseFetch what sends each attempt; called as a plain function, without a receiver
 * @throws TypeError, RangeError for wrong options
 * @example
 * ```ts
 * import { tokenBucket } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fetch = createFetch({ maxRetries: 3, bucket: tokenBucket({ refillPerSecond: 50 }) });
 *
 * const response = await fetch('https://api.example.com/', { ebb: { attemptTimeoutMs: 2_000 } });
 * ```
 */
export function createFetch(
  policyOrOptions: Policy | PolicyOptions = {},
  baseFetch: BaseFetch = globalThis.fetch,
): EbbFetch {
  const policy = createPolicy(policyOrOptions);
  if (typeof baseFetch !== 'function') throw new TypeError('createFetch: baseFetch takes a function');
  countLayer();

  // The name of the fetch that it stands in for, and its one required parameter.
  function fetch(input: FetchInput, init: EbbRequestInit | undefined = undefined): Promise<Response> {
    try {
      const request = new FetchRequest(input, init);
      const call = new Call(baseFetch, request);
      const session = startSession(policy, request, init?.ebb, request.carried);
      const result = session === undefined ? call.sendBare() : run(session, call, request.signal);
      return request.mayLeaveOpen ? ended(result, call) : result;
    } catch (error) {
      return Promise.reject(error);
    }
  }
  return withPreconnect(fetch, baseFetch);
}

/** The result, when the call has been told that it is over. */
async function ended(result: Promise<Response>, call: Call): Promise<Response> {
  try {
    const response = await result;
    call.end(response, false);
    return response;
  } catch (error) {
    call.end(error, true);
    throw error;
  }
}
