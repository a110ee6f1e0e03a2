import { type Check } from '../base/check.ts';
import type { Outcome } from './outcome.ts';
/** What a response says about the quota of the client, and about a retry. */
export interface Feedback {
    /** How long to send no requests, in milliseconds; 0 if the server does not ask for a pause. */
    readonly pauseMs: number;
    /** How many more requests, or other units, the server accepts now; `undefined` if it does not say. */
    readonly remaining: number | undefined;
    /** True if the request was refused because the rate was too high. */
    readonly tooFast: boolean;
    /**
     * How long not to send this request again, in milliseconds.
     * @default pauseMs
     */
    readonly waitMs?: number | undefined;
    /** Whether the server says that this request should be sent again; `undefined` if it does not say. */
    readonly shouldRetry?: boolean | undefined;
}
/**
 * Reads an outcome; `undefined` if it says nothing reliable.
 *
 * @param cost the tokens that the request costs, for quotas that count something else than requests
 */
export type ReadFeedback = (outcome: Outcome, nowMs: number, cost?: number) => Feedback | undefined;
/** A `feedback` option. */
export declare const checkFeedback: Check;
/**
 * Calls a `feedback` option.
 *
 * @throws HookError if it throws, or returns something else than feedback or nothing
 */
export declare function readFeedback(feedback: ReadFeedback, outcome: Outcome, nowMs: number, cost: number): Feedback | undefined;
/**
 * Reads what a response asks for: a wait (`Retry-After`, and `retry-after-ms`, `x-ms-retry-after-ms`, `x-amz-retry-after`
 * of some providers); the rest of quotas (the three generations of the IETF RateLimit fields, and the fields of GitHub,
 * OpenAI, Anthropic, Stripe and Kong); and whether to retry (`x-should-retry`, `stripe-should-retry`). What `inspect` found
 * in the body counts as well. A wait that is asked for outranks the reset of a quota.
 *
 * A success reports a pause only for a quota that is used up, a refusal also for one with less left than the request costs.
 * Ignored: malformed fields, cached quotas, and redirects. No rate is derived from a quota.
 *
 * Source: RFC 9110 §10.2.3; draft-ietf-httpapi-ratelimit-headers-10 §3 and §6, -07 §2, -06 §5; the SDKs of OpenAI, Anthropic
 * and Stripe for whether to retry.
 *
 * @example
 * ```ts
 * import { type ReadFeedback, serverFeedback, tokenBucket } from '@ebb/core';
 *
 * // Ignores rate headers on a 403.
 * const feedback: ReadFeedback = (outcome, nowMs, cost) =>
 *   outcome.type === 'response' && outcome.status === 403 ? undefined : serverFeedback(outcome, nowMs, cost);
 * const bucket = tokenBucket({ refillPerSecond: 50, feedback });
 * ```
 */
export declare const serverFeedback: ReadFeedback;
//# sourceMappingURL=server-feedback.d.ts.map