import { type OwnBudget } from '@ebb/core';
import type { Environment } from '../../scenario/client-options.ts';
import type { SharedBudgetOptions } from '../../scenario/fleet-policy.ts';
/**
 * One retry budget for a whole fleet, kept in a store, as `valkeyBudget` keeps it. Clients use the class that
 * @ebb/valkey uses, and the store is a `retryBudget` of core.
 *
 * This needs no events of the simulation. The store handles a call at the time it is sent, and the reply counts
 * when it has arrived. All calls take equally long, so the order of the calls in the store stays the same. Calls that
 * are due are made before anything later happens.
 */
export declare class FleetBudget {
    #private;
    calls: number;
    constructor(options: SharedBudgetOptions, clients: number, environment: Environment);
    /** The budget as one client sees it. */
    of(client: number): OwnBudget & {
        begin(): void;
        end(): void;
    };
}
//# sourceMappingURL=fleet-budget.d.ts.map