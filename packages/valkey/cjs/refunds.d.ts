import type { Reply, StoreCall } from './store-call.ts';
/** Tokens to return to the store or to charge there, in millionths. One call settles many. */
export declare class Refunds {
    #private;
    /** When to call the store; `Infinity` if there is nothing to do. */
    dueMs: number;
    constructor(call: (call: StoreCall) => Promise<Reply>);
    get busy(): boolean;
    /** Returns leased tokens by `dueMs`. */
    add(amount: number, leaseState: string, dueMs: number): void;
    /** Charges tokens that were spent without a lease, with the next {@link flush}. */
    owe(amount: number): void;
    /** Calls the store if it is due. */
    flush(nowMs: number): void;
    /** Resolves when the calls in flight have ended. */
    settled(): Promise<void>;
}
//# sourceMappingURL=refunds.d.ts.map