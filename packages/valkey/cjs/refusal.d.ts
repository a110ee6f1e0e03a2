/** The store's last refusal to lease tokens, and how long it stands. Amounts are millionths of a token. */
export declare class Refusal {
    #private;
    constructor(refillPerMs: number);
    /** `amount` tokens cannot come before `byMs`, and asking again is useless before `untilMs`. */
    set(amount: number, byMs: number, untilMs: number): void;
    clear(): void;
    /** Whether a lease of as many tokens, needed by `byMs`, would be refused as well. */
    covers(amount: number, byMs: number, nowMs: number): boolean;
    /** When to ask again; `Infinity` if no refusal stands. */
    retryAtMs(nowMs: number): number;
    /** Ends the refusal if its tokens come in time after all, because other requests have left the queue. */
    observe(emptyAtMs: number): void;
}
//# sourceMappingURL=refusal.d.ts.map