import type { SteadyTime } from '@ebb/core/bucket';
import type { FleetSetup } from './options.ts';
/** How long requests wait for the first connection to the store. */
export declare class ConnectWait {
    #private;
    /** `deadlineMs` returns when the first request in the queue gives up; `Infinity` if never, or if none waits. */
    constructor(setup: FleetSetup, time: SteadyTime, deadlineMs: () => number);
    /** Starts the wait with the first call to the store. */
    start(nowMs: number): void;
    /** Milliseconds left; 0 if requests can go without the store, or if `error` is permanent. */
    leftMs(error: unknown): number;
}
//# sourceMappingURL=connect-wait.d.ts.map