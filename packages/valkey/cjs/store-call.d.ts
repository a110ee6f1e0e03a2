/** Leases tokens. */
export interface TokenLeaseCall {
    readonly mode: 'lease';
    /** Leased in any case, unless it takes longer than `withinMs`. */
    readonly minAmount: number;
    /** The most to lease of the tokens that are available. */
    readonly maxAvailable: number;
    /** The most to lease of the tokens that are yet to come in. */
    readonly maxFuture: number;
    /** How long the first request may wait for `minAmount`, in milliseconds; `Infinity` for any time. */
    readonly withinMs: number;
}
/** One call of the script. */
export type StoreCall = TokenLeaseCall
/** Returns unspent tokens. `leaseState` is the {@link Reply.state} of their lease. */
 | {
    readonly mode: 'refund';
    readonly amount: number;
    readonly leaseState: string;
}
/** Charges tokens that were spent without a lease. */
 | {
    readonly mode: 'spend';
    readonly amount: number;
} | {
    readonly mode: 'pause';
    readonly durationMs: number;
} | {
    readonly mode: 'unpause';
}
/** The first call after an outage. */
 | {
    readonly mode: 'resume';
    readonly outageMs: number;
    readonly handoverMs: number;
}
/** Reads the state. */
 | {
    readonly mode: 'peek';
};
/** A reply of the script. Durations are from now, in milliseconds. */
export interface Reply {
    /** Tokens leased, charged or refunded; in other modes 1 if something was done, else 0. */
    readonly granted: number;
    /** If a lease was refused: how long until its tokens come within `withinMs`. */
    readonly waitMs: number;
    /** When the bucket is empty and tokens come in again; below 0: how long ago that was. */
    readonly emptyInMs: number;
    /** How long the bucket stays paused; 0 if it is not. */
    readonly pausedMs: number;
    /** When the server replied, on its own clock, in microseconds. */
    readonly atUs: number;
    /** The average lease of a process whose requests wait; 0 if none has waited yet. */
    readonly averageLease: number;
    /** How many processes leased tokens lately. */
    readonly processes: number;
    /** When the bucket serves again after an outage; 0 or less: for how long it already has, since the outage began. */
    readonly resumeInMs: number;
    /** The state of the bucket after the call. The next call hands it in, so that the store cannot lose it. */
    readonly state: string;
    /** The call reached the store after its deadline, and did nothing. */
    readonly tooLate: boolean;
    /** The store has lost the bucket since its last reply. */
    readonly lostBucket: boolean;
}
/** The fields of {@link Reply.state} that a process reads; script.ts describes all of them. */
export interface ParsedState {
    /** When the bucket was created or last lost, on the server's clock. */
    readonly epoch: string;
    /** Until when the store has to keep the bucket, on its own clock, in microseconds. */
    readonly keptUntilUs: number;
}
/** The arguments of a call that depend on its mode. */
export declare function argumentsOf(call: StoreCall): string[];
/** The numbers and the state of a reply; whether the bucket was lost, the caller knows. */
export declare function parseReply(call: StoreCall, reply: unknown): Omit<Reply, 'lostBucket'>;
/** `usPerFill`: how long the bucket takes to fill, in microseconds. */
export declare function parseState(state: string, usPerFill: number): ParsedState | undefined;
/** Whether a newer reply came before this one, as may happen with several connections. */
export declare function isOvertaken(atUs: number, newestAtUs: number): boolean;
//# sourceMappingURL=store-call.d.ts.map