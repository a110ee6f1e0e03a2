/** The rate and the size of a token bucket. */
export interface QuotaOptions {
    readonly capacity: number;
    readonly refillPerSecond: number;
    /** @default 0 */
    readonly refillIntervalMs?: number | undefined;
}
/**
 * The arithmetic of token buckets whose state is one number each. As in core, the state is a time in which one token
 * comes in each second, whatever the rate: whole tokens then add up exactly. In real time the rounding errors of many
 * grants add up until a token misses its refill step. `token-quota.test.ts` holds this against core's bucket.
 */
export declare class TokenQuota {
    #private;
    constructor({ capacity, refillPerSecond, refillIntervalMs }: QuotaOptions);
    /** The state of a bucket that holds so many tokens. */
    holding(tokens: number, nowMs: number): number;
    /** The state after taking tokens; `undefined` if the bucket does not hold enough. */
    take(state: number, cost: number, nowMs: number): number | undefined;
    /** The state after taking tokens, which may leave a debt. */
    spend(state: number, cost: number, nowMs: number): number;
    /** How long until the bucket holds so many tokens, in milliseconds; 0 if it does now. */
    waitMs(state: number, cost: number, nowMs: number): number;
}
//# sourceMappingURL=token-quota.d.ts.map