import { type Reply } from './store-call.ts';
/** The state of the shared bucket by the last reply of the store. */
export declare class BucketState {
    #private;
    /** When the bucket is or was empty; `-Infinity` before the first reply. */
    emptyAtMs: number;
    /** For how long after the last reply all tokens are leased already, in milliseconds. */
    leasedAheadMs: number;
    /** Returns false, and changes nothing, if a newer reply came before. */
    observe(reply: Reply, nowMs: number): boolean;
}
//# sourceMappingURL=bucket-state.d.ts.map