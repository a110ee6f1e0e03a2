import type { Verdict } from '../http/outcome.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { type Policy } from '../policy/policy.ts';
/** What a function that is retried is given. */
export interface AttemptContext {
    /** From 1. */
    readonly attempt: number;
    /** Aborts with the caller's signal, and when the attempt has run into `attemptTimeoutMs`. */
    readonly signal: AbortSignal;
}
/** How an attempt of a function ended. */
export type Settled<T> = {
    readonly type: 'value';
    readonly value: T;
} | {
    readonly type: 'error';
    readonly error: unknown;
};
/** Options of {@link retry} for one call. */
export interface RetryOptions<T> {
    /**
     * Ends the call, at once and with the signal's own reason.
     * @default none
     */
    readonly signal?: AbortSignal | undefined;
    /**
     * What a value or an error means. By default a value is a success. An error that has a status is judged by `classify`
     * as a response would be; any other error is `transient`, but for an abort. `attempt` counts from 1.
     * @default none
     */
    readonly judge?: ((settled: Settled<T>, attempt: number) => Verdict | undefined) | undefined;
}
/**
 * Calls a function until the policy stops, and settles as its last call does. For work that is no HTTP request: a database
 * query, a queue, an SDK. Backoff, budget, bucket, slots, timeouts, events and history are those of the policy.
 *
 * An error with a `status`, as SDKs throw them, is read as a response would be: its `Retry-After` holds, and a 400 is not
 * called again. The error itself is unchanged.
 *
 * Requests that the function sends with an ebb client are retried by that client, and so is a `retry` within it. If one of
 * them was repeated and failed, and the function then fails, it is not called again: attempts do not multiply. Such requests
 * do not wait for a slot of a limit of which the function holds one, and the first is paid for by the function's tokens.
 *
 * @param call the function. It must be safe to call again
 * @param policyOrOptions a policy, or the options of a new one
 * @throws what the last call threw; the signal's reason; ThrottledError and HookError as all clients of ebb
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { retry } from '@ebb/core';
 *
 * const rows = await retry(() => db.query('select 1'), { maxRetries: 3 });
 * declare const db: { query(sql: string): Promise<unknown[]> };
 * ```
 */
export declare function retry<T>(call: (context: AttemptContext) => T | PromiseLike<T>, policyOrOptions?: Policy | PolicyOptions, options?: RetryOptions<T>): Promise<T>;
//# sourceMappingURL=retry.d.ts.map