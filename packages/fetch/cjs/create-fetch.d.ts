import { type Policy, type PolicyOptions } from '@ebb/core';
import type { EbbRequestInit, FetchInit, FetchInput } from './init.ts';
import { type Preconnecting } from './preconnect.ts';
/** A `fetch` that also takes ebb's options for a request. Assignable to `typeof fetch` in every runtime. */
export interface EbbFetch extends Preconnecting {
    (input: FetchInput, init?: EbbRequestInit): Promise<Response>;
}
/** Sends one attempt: the runtime's own `fetch`, that of a package, or any function of this type. */
export type BaseFetch = (input: FetchInput, init?: FetchInit) => Promise<Response>;
/**
 * A `fetch` that sends each request when the policy permits it, and retries it if the policy says so. It settles as the
 * last attempt does. Without a retry it behaves exactly like `baseFetch`.
 *
 * Requests reject with the errors of `baseFetch`, and with two of ebb's: `ThrottledError` if no token or slot can be had
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
export declare function createFetch(policyOrOptions?: Policy | PolicyOptions, baseFetch?: BaseFetch): EbbFetch;
//# sourceMappingURL=create-fetch.d.ts.map