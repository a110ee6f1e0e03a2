/** How fast a process spends tokens: an exponential moving average over about the last `overMs`. */
export declare class SpendRate {
    #private;
    constructor(overMs: number, nowMs: number);
    get perMs(): number;
    /** Records what was spent since the last call. Steps may have any length. */
    record(spent: number, nowMs: number): void;
}
//# sourceMappingURL=spend-rate.d.ts.map