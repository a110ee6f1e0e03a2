import type { LeaseCall, SteadyTime } from '@ebb/core/bucket';
import type { BudgetSetup } from './budget-options.ts';
/** A reply of the script. */
export interface BudgetReply {
    /** Retries that were leased. */
    readonly granted: number;
    /** Retries that are left in the store. */
    readonly balance: number;
    /** How many processes called in the last windows. */
    readonly processes: number;
}
/** Calls the script of one budget. */
export declare class BudgetStore {
    #private;
    constructor(setup: BudgetSetup, time: SteadyTime);
    /** Rejects with the client's error, or if there is no reply in time. A later reply goes to `onLate`. */
    call(call: LeaseCall, onLate: (reply: BudgetReply) => void): Promise<BudgetReply>;
    /** Stops watching the client. */
    close(): void;
}
//# sourceMappingURL=budget-store.d.ts.map