/** What a process reports to the store of a shared budget, and what it asks for. */
export interface LeaseCall {
    /** Successful requests since the previous call. */
    readonly deposits: number;
    /** Leased retries that are not needed. */
    readonly returned: number;
    /** Retries to lease. */
    readonly wanted: number;
}
/** How often a process leases, and for how long a lease is valid. */
export interface LeaseTerms {
    /** The shortest time between two calls, in milliseconds. */
    readonly aheadMs: number;
    /** How long a leased retry is valid, in milliseconds: as long as a success counts. */
    readonly windowMs: number;
}
/** How many of `wanted` retries the store leases: at most half of its balance, except that a single retry may be the last. */
export declare function leaseOf(wanted: number, balance: number): number;
/**
 * The part of one process in a retry budget that a store keeps for a fleet. It decides when to call the store and with what,
 * and makes no call itself.
 *
 * `withdraw` is synchronous, so retries are leased in advance: one for each request in flight, from its start. A retry is
 * charged when it is leased. If a process ends, its leased retries are lost to the fleet; none is ever spent twice.
 */
export declare class LeasedRetries {
    #private;
    constructor(terms: LeaseTerms);
    /** The number of retries that can be spent now. */
    leased(nowMs: number): number;
    begin(nowMs: number): void;
    end(): void;
    deposit(): void;
    withdraw(nowMs: number): boolean;
    refund(nowMs: number): void;
    /** When to call the store, in milliseconds; `Infinity` if there is nothing to report, and during a call. */
    get dueMs(): number;
    /** Starts the next call. {@link callEnded} must follow. */
    call(nowMs: number): LeaseCall;
    /** The call has ended. A failed call is not repeated, because it may have reached the store. */
    callEnded(): void;
    /** A call that was sent at `sentAtMs` has leased `count` retries. */
    granted(count: number, sentAtMs: number): void;
    /** Returns the successes that were not reported yet. They will not be reported. */
    takeDeposits(): number;
    /** No more requests come: the next call returns all retries. */
    close(): void;
}
//# sourceMappingURL=leased-retries.d.ts.map