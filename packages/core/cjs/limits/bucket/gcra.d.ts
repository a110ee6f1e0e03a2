/**
 * A token bucket whose state is one number: the time at which it is, was or will be empty. It holds
 * `(now − emptyAt) · rate` tokens, at most the capacity. There is no time of a last refill that could become stale, so an
 * idle bucket never holds more than its capacity, and a clock that steps back creates no tokens.
 *
 * Times are milliseconds from any fixed origin. Choose a recent one: milliseconds since 1970 have a resolution of only a
 * quarter of a microsecond, which is too coarse for thousands of tokens per second.
 *
 * Source: Generic Cell Rate Algorithm (ITU-T I.371, Annex A). Its theoretical arrival time is `emptyAt` plus the time that
 * the bucket takes to fill.
 */
export interface Quota {
    /** In tokens. */
    readonly capacity: number;
    /** Tokens per second. */
    readonly refillPerSecond: number;
}
/**
 * Tolerance for rounding errors, in milliseconds: tokens that arrive this much later count as available. It does not
 * accumulate, because it is never stored. The last term is the resolution of a double at the size of `nowMs`.
 */
export declare function slackMs(fillMs: number, nowMs: number): number;
/** The state of a bucket with this many tokens. A negative number is a debt. */
export declare function holding(quota: Quota, tokens: number, nowMs: number): number;
/** The tokens that are available. A negative number is a debt. */
export declare function tokensAt(quota: Quota, emptyAtMs: number, nowMs: number): number;
/** The state after taking tokens, whether they are available or not. */
export declare function spend(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number;
/** The state after taking tokens; `undefined` if they are not available. */
export declare function take(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number | undefined;
/**
 * How long until the tokens are available, in milliseconds, if no one else takes any. More than the capacity are never
 * available at once: for those it is the shortest time until so many have arrived, for several requests in a row.
 */
export declare function waitMs(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number;
/**
 * The state after tokens are given back. Tokens that the bucket has refilled since they were taken cannot be given back:
 * more than the capacity could be taken at once.
 *
 * @param heldMs the state after these tokens were taken, minus what was given back since
 */
export declare function giveBack(quota: Quota, emptyAtMs: number, tokens: number, heldMs: number, nowMs: number): number;
//# sourceMappingURL=gcra.d.ts.map