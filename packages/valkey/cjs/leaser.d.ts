import type { SteadyTime } from '@ebb/core/bucket';
import { type Backlog } from './backlog.ts';
import { LeasePlan } from './lease-plan.ts';
import type { FleetSetup } from './options.ts';
import { LeasePool } from './pool.ts';
import type { Reply, StoreCall } from './store-call.ts';
interface Hooks {
    readonly backlog: () => Backlog;
    readonly call: (call: StoreCall) => Promise<Reply>;
    /** Whether the store may be called now. */
    readonly mayLease: (nowMs: number) => boolean;
    /** A call ended, with or without a lease. */
    readonly onCallEnd: (nowMs: number) => void;
    /** How many processes share the bucket, at least 1. */
    readonly processes: () => number;
}
/** Leases tokens from the store, with at most one call in flight. Amounts are millionths of a token. */
export declare class Leaser {
    #private;
    readonly pool: LeasePool;
    readonly plan: LeasePlan;
    /** The call in flight. */
    leasing: Promise<void> | undefined;
    constructor(setup: FleetSetup, time: SteadyTime, hooks: Hooks);
    /** Whether a call is in flight or about to be made. */
    get isLeasing(): boolean;
    /** Takes tokens out of the pool if they are available, and refills the pool before it is empty. */
    take(amount: number, nowMs: number): boolean;
    /** A request left without tokens: leases some for the next. */
    missed(amount: number): void;
    /** Calls the store at the end of this turn, so that one call serves all requests of the turn. */
    leaseSoon(): void;
}
export {};
//# sourceMappingURL=leaser.d.ts.map