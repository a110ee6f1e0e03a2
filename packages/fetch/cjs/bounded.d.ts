import type { Clock } from '@ebb/core';
/** What can end an attempt early. */
export interface Bounds {
    readonly clock: Clock;
    /** Time for the response headers, in milliseconds; `undefined` for no timeout. */
    readonly timeoutMs: number | undefined;
    /** What the attempt rejects with after that. */
    readonly timeoutError?: () => DOMException;
    /** The caller's signal, a native one. */
    readonly signal: AbortSignal | undefined;
    /** True if the base fetch has to get the caller's own signal: the timeout then does not reach it. */
    readonly keepsSignal?: boolean;
}
/** The state of an attempt that can be ended early. */
export interface Bounded {
    /** Replaces the caller's signal for the base fetch; `undefined` if that stays. */
    readonly signal: AbortSignal | undefined;
    /** True once the attempt has ended, by itself or early. */
    readonly over: boolean;
    /** True if the attempt ran into its timeout. */
    readonly timedOut: boolean;
}
/**
 * Starts an attempt, and settles as it does. If a timeout or an abort ends it, rejects with the reason one turn of the
 * event loop later, even if the attempt ignores its signal.
 *
 * @param start starts the attempt; its argument is updated while the attempt is under way
 * @param late gets a result that arrives after that
 */
export declare function bounded<T>({ clock, timeoutMs, timeoutError: makeError, signal, keepsSignal }: Bounds, start: (state: Bounded) => Promise<T>, late: (result: T) => void): Promise<T>;
//# sourceMappingURL=bounded.d.ts.map