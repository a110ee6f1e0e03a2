import type { Policy, PolicyOptions } from '@ebb/core';
import {
  AroundCalls,
  callable,
  countClient,
  createPolicy,
  goOnAfter,
  hasContext,
  isNativeFetch,
  isSuccess,
  LAYER,
  mayBeSentAtOnce,
  mayNest,
  run,
  runWithin,
  startCall,
} from '@ebb/core/adapter';
import { recordConnectErrors, withPreconnect } from '#platform';
import { FetchRequest } from './fetch-request.ts';
import type { EbbRequestInit, FetchInit, FetchInput, LayerMembers, PreconnectMember } from './request.ts';
import { isSimple, keptAtOnce, withChanges } from './request.ts';

/** A `fetch` that also takes ebb's options for a request. Assignable to `typeof fetch` in every runtime. */
export interface EbbFetch extends PreconnectMember {
  (input: FetchInput, init?: EbbRequestInit): Promise<Response>;
}

/** Sends one attempt: the runtime's own `fetch`, that of a package, or any function of this type. */
export type BaseFetch = (input: FetchInput, init?: FetchInit) => Promise<Response>;

/**
 * A `fetch` that sends each request when the policy permits it, and retries it if the policy says so. It settles as the
 * last attempt does. Without a retry it behaves exactly like `baseFetch`.
 *
 * Requests reject with the errors of `baseFetch`, and with two of ebb's: `NotSentError` if no token or slot can be had
 * in time for the first attempt, and `HookError` if a hook or a body factory throws.
 *
 * @param policyOrOptions a policy, which several clients can share, or the options of a new one; all defaults if omitted
 * @param baseFetch sends each attempt, called without a receiver; by default the global `fetch` at this moment
 * @throws TypeError, RangeError if an option is invalid, or `baseFetch` is not a function
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
  policyOrOptions: PolicyOptions = {},
  baseFetch: BaseFetch = globalThis.fetch,
): EbbFetch {
  if (typeof policyOrOptions === 'function')
    throw new TypeError('createFetch: a policy or its options come first, a base fetch second');
  const policy = createPolicy(policyOrOptions);
  callable('createFetch: baseFetch', baseFetch);
  const way = isNativeFetch(baseFetch) ? 'native-fetch' : 'client';

  /** The shortcut of a request that needs nothing before its first failure. */
  function sendPlain(input: FetchInput, init: EbbRequestInit | undefined): Promise<Response> {
    let [ownInput, ownInit] = [input, init];
    const make = (): FetchRequest => new FetchRequest(baseFetch, ownInput, ownInit).keep();
    const outer = hasContext && mayNest(way) ? new AroundCalls(make) : undefined;
    let sent: Promise<Response>;
    try {
      const send = (): Promise<Response> => baseFetch(input, init as FetchInit | undefined);
      // A mock may return something else than a promise.
      sent = Promise.resolve(outer ? runWithin(outer, send) : send());
    } catch (error) {
      sent = Promise.reject(error);
    }
    // Their owner may change them before a retry.
    const kept = policy.maxRetries > 0 && keptAtOnce(input, init);
    if (kept) [ownInput, ownInit] = kept;
    return sent.then(
      (response) => (isSuccess(response, outer) ? response : goOnAfter(policy, way, make(), response, outer)),
      (error: unknown) => goOnAfter(policy, way, make(), error, outer, true),
    );
  }

  // The tokens of a connection that is refused go back.
  if (recordConnectErrors && policy.bucket) recordConnectErrors();

  // `name` and `length` are those of the native fetch.
  function fetch(input: FetchInput, init: EbbRequestInit | undefined = undefined): Promise<Response> {
    try {
      if (mayBeSentAtOnce(policy, way) && isSimple(input, init)) return sendPlain(input, init);
      const ebb = init?.ebb;
      if (ebb === false && typeof init?.body !== 'function')
        return baseFetch(...withChanges(input, init, {}));
      const request = new FetchRequest(baseFetch, input, init);
      // A body function needs a call, but nothing of the policy.
      const call =
        ebb === false
          ? startCall(once(), request, undefined, undefined, way)
          : startCall(policy, request, ebb, (init as LayerMembers | undefined)?.[LAYER], way);
      const result = run(call, request, request.signal);
      // Not before: the first attempt has the caller's own arguments, unless it waits.
      request.keep();
      return request.mayLeaveOpen ? endAfter(result, request) : result;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  countClient();
  return withPreconnect ? withPreconnect(fetch, baseFetch) : fetch;
}

let sendingOnce: Policy | undefined;

/** The policy of a request that is sent without ebb. */
function once(): Policy {
  sendingOnce ??= createPolicy({ maxRetries: 0 });
  return sendingOnce;
}

/** Settles as `result` does, after it has ended the request. */
async function endAfter(result: Promise<Response>, request: FetchRequest): Promise<Response> {
  try {
    const response = await result;
    request.end(response, false);
    return response;
  } catch (error) {
    request.end(error, true);
    throw error;
  }
}
