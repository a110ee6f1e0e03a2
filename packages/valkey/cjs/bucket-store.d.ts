import { type SteadyTime } from '@ebb/core/bucket';
import type { Connection } from './connection.ts';
import { type Reply, type StoreCall } from './store-call.ts';
import type { StoreClient } from './store-client.ts';
interface StoreOptions {
    readonly storeClient: StoreClient;
    readonly connection: Connection;
    readonly key: string;
    readonly refillPerSecond: number;
    /** In millionths of a token. */
    readonly capacity: number;
    readonly timeoutMs: number;
    readonly time: SteadyTime;
    /**
     * How much longer to wait after `timeoutMs`, in milliseconds. `connectionError` may be the reason for the silence.
     */
    readonly extraWaitMs: (connectionError: unknown) => number;
    /** Called for a reply (or an error, then `undefined`) that comes after the call has timed out. */
    readonly onLate: (call: StoreCall, reply: Reply | undefined) => void;
}
/** Calls the script of one bucket, and hands in the last state that this process saw. */
export declare class BucketStore {
    #private;
    constructor(options: StoreOptions);
    /** How many calls of the last 10 s have no reply. */
    unansweredCalls(nowMs: number): number;
    /** Rejects with the client's error, or if there is no reply in time. */
    call(call: StoreCall): Promise<Reply>;
}
export {};
//# sourceMappingURL=bucket-store.d.ts.map