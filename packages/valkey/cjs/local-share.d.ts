import type { Random } from '@ebb/core';
/**
 * What one process may spend while the store is unreachable: its share of the rate and of the capacity. It starts
 * empty, so that an outage causes no burst. Amounts are millionths of a token.
 */
export declare class LocalShare {
    #private;
    /** All that was charged. */
    spent: number;
    constructor(perMs: number, capacity: number, emptyAtMs: number, random: Random);
    /**
     * Takes the tokens if they are available. A request that costs more than the share's capacity collects its tokens
     * over several calls. Without a random delay the processes of a fleet would all collect, and send, at the same
     * time.
     */
    take(amount: number, nowMs: number): boolean;
    charge(amount: number, nowMs: number): void;
    /** How long until the first request in the queue can take its tokens, or collect more, in milliseconds. */
    headWaitMs(amount: number, nowMs: number): number;
    /** How long until as many tokens have come in, in milliseconds. */
    waitMs(amount: number, nowMs: number): number;
    /** The tokens that are available; below 0 if they are spent in advance. */
    tokens(nowMs: number): number;
    /** Empties the share until then. */
    pause(untilMs: number): void;
    /** Ends a pause so many milliseconds early. */
    resume(earlierMs: number): void;
    /** An upper bound of what was spent in the last `durationMs`. */
    maxSpentIn(durationMs: number): number;
}
//# sourceMappingURL=local-share.d.ts.map