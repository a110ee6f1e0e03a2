import { type Complete } from '../base/options.ts';
import type { Admit } from '../request/admit.ts';
import { type PolicyOptions, type UnsetOptions } from './options.ts';
import { type Part } from './part.ts';
declare const policyBrand: unique symbol;
/** Validated options with all defaults applied. Made by {@link createPolicy}, and frozen. */
export interface Policy extends Complete<PolicyOptions, UnsetOptions> {
    readonly [policyBrand]: true;
}
/** What a policy's fields do not show. */
export interface Inside {
    /** `undefined` if the number is that of the backoff rule: a request that overrides the rule gets that rule's number. */
    readonly maxRetries: number | undefined;
    /** In the order of their places. */
    readonly parts: readonly Part[];
    /** What waits for what the parts lack; `undefined` if they lack nothing. */
    readonly admit: Admit | undefined;
    /** True if a call of this policy needs nothing before its first failure. */
    readonly isPlain: boolean;
}
/** @returns the parts of a policy, and what follows from them */
export declare function insideOf(policy: Policy): Inside;
/**
 * Decides whether and when a request is sent, and sent again. After a 429 or 5xx ebb retries up to five times by default,
 * waiting 1, 2, 4 … s plus up to 1 s of jitter, never less than `Retry-After`.
 *
 * Clients that are given the same policy share its bucket, its concurrency limit and its budget. A policy in place of
 * options is returned as it is.
 *
 * @throws TypeError for an unknown option or a value of the wrong type, and for a limit that has taken the clock of another policy
 * @throws RangeError for a wrong value
 * @example
 * ```ts
 * import { createPolicy, retryBudget, tokenBucket } from '@ebb/core';
 *
 * const policy = createPolicy({
 *   maxRetries: 3,
 *   totalTimeoutMs: 30_000,
 *   bucket: tokenBucket({ refillPerSecond: 50 }),
 *   budget: retryBudget(),
 * });
 * ```
 */
export declare function createPolicy(options?: PolicyOptions | Policy): Policy;
/**
 * The policy with some options changed, for one request. The other options are those of the policy.
 *
 * @throws TypeError, RangeError as {@link createPolicy}
 */
export declare function overridePolicy(policy: Policy, options: PolicyOptions): Policy;
export {};
//# sourceMappingURL=policy.d.ts.map