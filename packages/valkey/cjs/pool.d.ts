/**
 * Tokens that were leased and not spent yet. They come in at the bucket's rate, the last of them at `availableAtMs`.
 */
export interface Lease {
    /** Tokens left, in millionths. */
    left: number;
    availableAtMs: number;
    /** When the rest is returned to the store. */
    expiresAtMs: number;
    /** The state of the bucket right after the lease. A refund hands it in. */
    readonly state: string;
}
/** Tokens that leave the pool unspent. */
export type Unspent = Pick<Lease, 'left' | 'state'>;
/** The tokens that this process has leased, in millionths. The oldest lease is spent first. */
export declare class LeasePool {
    #private;
    /** All tokens in the pool, future ones included. */
    left: number;
    /** The lease that the last tokens were taken from. */
    lastUsed: Lease | undefined;
    /** `refillPerMs`: how many millionths come in per millisecond. */
    constructor(refillPerMs: number);
    /** With `keep` no lease expires before the new one: the first request in the queue needs all of them together. */
    add(lease: Lease, keep: boolean): void;
    /** Takes the tokens if they are available. */
    take(amount: number, nowMs: number): boolean;
    /** How long until as many tokens are available, in milliseconds; `undefined` if the pool does not hold as many. */
    waitMs(amount: number, nowMs: number): number | undefined;
    /** When the next lease expires; `Infinity` if there is none. */
    get nextExpiryMs(): number;
    /**
     * Moves leases to an earlier time after other processes returned tokens. According to the store all leased tokens,
     * here and elsewhere, are available at `endMs`: the last lease ends there at the latest, and each other one before
     * the next begins. Returns whether any lease moved.
     */
    moveEarlier(endMs: number): boolean;
    /** No request waits any longer: every lease expires at most `aheadMs` after it is available. */
    shortenExpiry(aheadMs: number, nowMs: number): void;
    /** Takes out the leases that have expired. */
    expire(nowMs: number): Unspent[];
    /** Takes out all leases. */
    clear(): Unspent[];
    /** Takes out tokens beyond `needed`, the latest first, as long as their lease is not available by `farMs`. */
    trim(needed: number, farMs: number): Unspent[];
}
//# sourceMappingURL=pool.d.ts.map