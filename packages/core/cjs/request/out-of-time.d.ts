import type { Clock } from '../base/clock.ts';
/** A timeout has passed while the attempt was prepared. An adapter replaces it with the timeout error of its client. */
export declare class OutOfTime extends Error {
    readonly name = "TimeoutError";
    readonly timeoutMs: number;
    /** True for the total timeout of the request, false for that of the attempt. */
    readonly isTotal: boolean;
    constructor(timeoutMs: number, isTotal: boolean);
}
/** The error for a timeout, as `AbortSignal.timeout` makes it. */
export declare function timeoutError(timeoutMs: number): DOMException;
/** What ends the wait for user code. */
export interface Bounds {
    readonly clock: Clock;
    readonly signal: AbortSignal | undefined;
    /** In milliseconds; `Infinity` for no timeout. */
    readonly leftMs: number;
    /** The error if the time is over. */
    readonly late: () => unknown;
}
/** Settles as user code does, or rejects when the signal aborts or the time is over. User code cannot be stopped. */
export declare function settledWithin<T>(work: PromiseLike<T>, { clock, signal, leftMs, late }: Bounds): Promise<T>;
//# sourceMappingURL=out-of-time.d.ts.map