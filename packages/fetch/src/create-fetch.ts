import { begin, createPolicy, type Policy, type PolicyOptions, run } from '@ebb/core';
import { Call } from './call.ts';
import type { EbbRequestInit, FetchInit, FetchInput } from './init.ts';
import { type Preconnecting, withPreconnect } from './preconnect.ts';

/** `fetch`, with ebb's options for a request beside its own. It is a `typeof fetch` in every runtime. */
export interface EbbFetch extends Preconnecting {
  (input: FetchInput, init?: EbbRequestInit): Promise<Response>;
}

/** Sends one attempt: the runtime's own fetch, that of a package, or a function of yours. */
export type BaseFetch = (input: FetchInput, init?: FetchInit) => Promise<Response>;

/**
 * A fetch that sends each request when the policy allows it, and again when that helps. Where nothing is sent
 * again it does what `baseFetch` does: the same response, the same errors.
 *
 * @param policyOrOptions a policy to share with other clients, or the options of one
 * @param baseFetch what sends each attempt
 * @throws TypeError, RangeError for wrong options
 */
export function createFetch(
  policyOrOptions: Policy | PolicyOptions = {},
  baseFetch: BaseFetch = globalThis.fetch,
): EbbFetch {
  const policy = createPolicy(policyOrOptions);
  if (typeof baseFetch !== 'function') throw new TypeError('createFetch: baseFetch takes a function');

  // Its own name and its own two parameters, as the fetch that it stands in for has.
  function fetch(input: FetchInput, init?: EbbRequestInit): Promise<Response> {
    try {
      const call = new Call(baseFetch, input, init);
      const session = begin(policy, call, init?.ebb);
      return session === undefined ? call.sendBare() : run(session, call, call.signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }
  return withPreconnect(fetch, baseFetch);
}
