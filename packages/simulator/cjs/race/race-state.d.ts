/** The state of all clients that still race, in an array for each number. Clients that are done leave the arrays. */
export declare class RaceState {
    readonly readAtMs: Float64Array;
    readonly writeAtMs: Float64Array;
    readonly previousMs: Float64Array;
    readonly failures: Int32Array;
    constructor(clients: number);
    /** Moves the last client to the place of a client that is done. */
    replace(client: number, last: number): void;
}
/** Network delays, one for each message. They are drawn in blocks and taken four at a time. */
export declare class Delays {
    #private;
    readonly block: Float64Array;
    at: number;
    constructor(seed: number, meanMs: number, deviationMs: number);
    /** The index of the next four in the block. */
    next(): number;
}
//# sourceMappingURL=race-state.d.ts.map