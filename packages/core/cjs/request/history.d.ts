import type { FailureKind, Outcome } from '../http/outcome.ts';
import type { Grant } from '../limits/contracts.ts';
import type { RetryReason, StopReason } from '../policy/reason.ts';
/** One attempt of a request. Contains no URL, header or body. */
export interface Attempt {
    /** From 1. */
    readonly attempt: number;
    /** The delay before it, for backoff or `Retry-After`, in milliseconds. */
    readonly delayMs: number;
    /** The wait for its slot and its tokens after that, in milliseconds. */
    readonly throttledMs: number;
    /** The status of its response. */
    readonly status?: number;
    /** What failed, if there was no response. */
    readonly failure?: FailureKind;
    /** The code of the error or of one of its causes, else the name of the error. */
    readonly code?: string;
    /** Why it was followed by another attempt, or by none. */
    readonly reason: RetryReason | StopReason;
}
/** The entry of an attempt in the history. */
export declare function recordOf(attempt: number, delayMs: number, throttledMs: number, outcome: Outcome, reason: Attempt['reason']): Attempt;
/** What led to a result: its attempts, and the tokens of the last one, if there is a bucket. */
export type Trace = readonly Attempt[] | {
    readonly attempts: readonly Attempt[];
    readonly grant: Grant;
};
/** Notes the trace of what a caller gets: a response, or an error. */
export declare function remember(result: unknown, trace: Trace): void;
/** Notes the trace of a call that ended with the reason of its signal. The caller owns that object, and may use it again. */
export declare function rememberReason(reason: unknown, trace: Trace): void;
/**
 * The attempts that led to a response or an error of an ebb client; empty for anything else.
 *
 * @example
 * ```ts
 * import { attemptsOf } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const response = await createFetch()('https://api.example.com/');
 * for (const { attempt, status, reason } of attemptsOf(response)) console.log(attempt, status, reason);
 * ```
 */
export declare function attemptsOf(result: unknown): readonly Attempt[];
/**
 * The tokens of the last attempt, for a response or an error of an ebb client: to settle a cost that is known only after
 * the response. `undefined` if the policy has no bucket.
 *
 * @example
 * ```ts
 * import { grantOf, tokenBucket } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fetch = createFetch({ bucket: tokenBucket({ refillPerSecond: 1_000, capacity: 10_000 }), cost: 500 });
 * const response = await fetch('https://api.example.com/');
 * grantOf(response)?.settle(120); // Gives the other 380 tokens back.
 * ```
 */
export declare function grantOf(result: unknown): Grant | undefined;
//# sourceMappingURL=history.d.ts.map