import type { Backlog } from './backlog.ts';
import type { FleetSetup } from './options.ts';
/**
 * How much a process leases at a time while its requests wait. Every process leases for about as many requests,
 * whatever they cost, so the fleet advances as one queue would. A lease covers at most half of the process's own
 * queue, and about as much as other processes lease. Amounts are millionths of a token.
 */
export declare class LeaseSize {
    #private;
    constructor(setup: FleetSetup, processes: () => number);
    /** Records a lease, and the fleet's average lease; 0 if there is none. */
    record(granted: number, fleetAverage: number): void;
    /** What to lease for the waiting requests, on top of the `left` tokens that are leased already. */
    forQueue({ count, totalCost, through }: Backlog, left: number): number;
    /** With as many tokens in the pool, the waiting requests need no other lease yet. */
    enoughFor(totalCost: number): number;
    /** This process's part of the tokens that come in within `durationMs`. */
    fairShare(durationMs: number): number;
}
//# sourceMappingURL=lease-size.d.ts.map