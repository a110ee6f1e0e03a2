import { type SteadyTime } from '@ebb/core/bucket';
import type { FleetSetup } from './options.ts';
import { Outage } from './outage.ts';
import { FleetPause } from './pause.ts';
import type { Reply, StoreCall } from './store-call.ts';
interface Hooks {
    /** When the first request in the queue gives up; `Infinity` if never, or if none waits. */
    readonly deadlineMs: () => number;
    /** A pause began. */
    readonly onPause: (untilMs: number) => void;
    /** The store replied: all tokens leased so far are available at `emptyAtMs`. */
    readonly onState: (emptyAtMs: number) => void;
    /** The store was lost, or is back. */
    readonly onChange: () => void;
    /** A lease came after its call had timed out. */
    readonly onLateLease: (lease: Reply, nowMs: number) => void;
    /** Tokens spent during an outage have to be paid, in millionths. */
    readonly onDebt: (amount: number) => void;
}
/**
 * The connection of one process to the shared bucket: what the store said last, and whether it can be called. An error
 * or a missing reply starts an outage; retries end it.
 */
export declare class StoreLink {
    #private;
    readonly pause: FleetPause;
    /** `undefined` while the store can be called. */
    outage: Outage | undefined;
    isClosed: boolean;
    /** How often the store was called. */
    calls: number;
    /** When the store was called last. */
    calledAtMs: number;
    constructor(setup: FleetSetup, time: SteadyTime, hooks: Hooks);
    /** The highest count of processes in the last minute; 0 before the first reply. */
    get processes(): number;
    /** When the bucket is or was empty, by the last reply; `-Infinity` before the first. */
    get emptyAtMs(): number;
    /** Calls the store. A failure starts an outage. */
    call(call: StoreCall): Promise<Reply>;
    /** Stops watching the client. No outage starts from now on. */
    close(): void;
    /** During an outage: calls the store if a retry is due, and shares the bucket again if its time has come. */
    check(nowMs: number): void;
    /** When to call {@link check} next; `Infinity` without an outage. */
    nextCheckMs(waiting: boolean, nowMs: number): number;
}
export {};
//# sourceMappingURL=store-link.d.ts.map