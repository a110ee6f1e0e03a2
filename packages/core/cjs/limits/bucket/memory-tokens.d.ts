import type { Quota } from './gcra.ts';
import type { QuotaState } from './quota-state.ts';
import type { TokenSource } from './token-source.ts';
/** A state for each limit that {@link MemoryTokens.settle} needs later. A plain number if there is only one limit. */
export type Held = number | readonly number[];
/** The limits of one bucket in memory. Tokens are taken from all of them, or from none. */
export declare class MemoryTokens implements TokenSource<Held> {
    #private;
    constructor(first: QuotaState, further: readonly QuotaState[]);
    get refillPerSecond(): number;
    /** The capacity of the first limit. */
    get ownCapacity(): number;
    get capacity(): number;
    tokens(nowMs: number): number;
    isIdle(nowMs: number): boolean;
    take(cost: number, nowMs: number): boolean;
    get held(): Held;
    waitMs(cost: number, nowMs: number): number;
    dueMs(firstCost: number, nowMs: number): number;
    settle(surplus: number, held: Held, nowMs: number): void;
    /** Pauses the first limit only: emptying the quota of a day would close the bucket for a day. */
    pause(untilMs: number, nowMs: number): void;
    resume(nowMs: number): void;
    pausedMs(nowMs: number): number;
    /** Changes the first limit; further limits stay as they are. */
    setRate(rate: Quota, nowMs: number): void;
}
//# sourceMappingURL=memory-tokens.d.ts.map