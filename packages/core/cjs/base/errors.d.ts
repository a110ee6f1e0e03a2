/**
 * Why a request was not sent.
 *
 * - `not-conforming`: the tokens were not available, and the bucket does not queue (`nonConforming: 'reject'`)
 * - `queue-full`: `maxQueue` requests wait already
 * - `displaced`: another request took its place in the full queue (`overflow`)
 * - `wait-too-long`: its turn would not come, or did not come, within `maxWaitMs` or the total timeout
 * - `capacity-lowered`: it costs more than the new capacity of the bucket
 * - `closed`: the bucket was closed
 * - `stopped`: the policy's `stopSignal` has aborted
 * - `too-many-keys`: `maxKeys` keys are in use
 * - `unavailable`: the store of a shared bucket could not be reached
 */
export type ThrottledReason = 'not-conforming' | 'queue-full' | 'displaced' | 'wait-too-long' | 'capacity-lowered' | 'closed' | 'stopped' | 'too-many-keys' | 'unavailable';
/** The request was not sent, because it could not get its tokens or its slot within its limits. */
export declare class ThrottledError extends Error {
    readonly name = "ThrottledError";
    /** How long the tokens would have taken, in milliseconds; `undefined` if that is not known. */
    readonly waitMs: number | undefined;
    readonly reason: ThrottledReason;
    constructor(message: string, waitMs?: number, options?: {
        readonly cause?: unknown;
        readonly reason?: ThrottledReason | undefined;
    });
}
/** A function of the policy, such as `cost` or `classify`, threw or returned an invalid value. `cause` is the error. */
export declare class HookError extends Error {
    readonly name = "HookError";
    /** The option that the function was given as. */
    readonly hook: string;
    constructor(hook: string, cause: unknown);
}
/**
 * Calls a function that the user wrote.
 *
 * @param hook the option that the function was given as
 * @throws HookError if the function throws
 */
export declare function callHook<T>(hook: string, call: () => T): T;
//# sourceMappingURL=errors.d.ts.map