import type { Backlog } from './backlog.ts';
import type { FleetSetup } from './options.ts';
import type { Reply, TokenLeaseCall } from './store-call.ts';
/**
 * How much to lease, by what the queue needs, what the process spends, and what the store replied. Amounts are
 * millionths of a token.
 */
export declare class LeasePlan {
    #private;
    /** `processes` returns how many processes share the bucket, at least 1. */
    constructor(setup: FleetSetup, processes: () => number, nowMs: number);
    /** Whether to lease in advance with `left` tokens in the pool. */
    isLow(left: number): boolean;
    /** The call to make; `undefined` if `left` tokens are enough or the store would refuse. */
    callFor(backlog: Backlog, left: number, nowMs: number): TokenLeaseCall | undefined;
    /** The store leased tokens. */
    granted({ granted, emptyInMs, averageLease }: Reply): void;
    /** The store refused a call: its tokens come after the deadline of the first request. */
    refused(call: TokenLeaseCall, sentAtMs: number, { waitMs }: Reply, nowMs: number): void;
    /** When to ask again for the waiting requests after a refusal; `Infinity` if none stands. */
    retryAtMs(nowMs: number): number;
    /** Whether the store has said that as many more tokens come after `byMs`. */
    isTooLate(lacking: number, byMs: number, nowMs: number): boolean;
    /** Leased tokens were returned to the store. */
    returned(amount: number): void;
    /** The store replied: all tokens leased so far are available at `emptyAtMs`. */
    observe(emptyAtMs: number): void;
    /** Called after an outage: earlier refusals say nothing about the store as it is now. */
    forgetRefusal(): void;
}
//# sourceMappingURL=lease-plan.d.ts.map