import type { SteadyTime, TokenSource, Unavailable, WaitingQueue } from '@ebb/core/bucket';
import type { FleetSetup } from './options.ts';
import type { Outage } from './outage.ts';
/**
 * The tokens of the fleet as one process sees them: those that it has leased, those that it can lease, and its share
 * while the store cannot be reached. Tokens outside, millionths of a token inside.
 */
export declare class FleetTokens implements TokenSource<string | undefined> {
    #private;
    /** The state of the bucket when the last tokens taken were leased; `undefined` if they were not leased. */
    held: string | undefined;
    /** @param onChange called when tokens may have come in, or will not come any more */
    constructor(setup: FleetSetup, time: SteadyTime, queue: WaitingQueue, onChange: () => void);
    get mode(): 'shared' | Outage['mode'];
    /** How many processes share the bucket; 0 until the store has said so. */
    get processes(): number;
    /** Calls to the store so far. */
    get calls(): number;
    /** Tokens that are leased and not spent. */
    get leased(): number;
    get capacity(): number;
    get refillPerSecond(): number;
    /** In mode `'open'` everything is granted while the store cannot be reached. */
    get isBeyond(): boolean;
    get unavailable(): Unavailable | undefined;
    pausedMs(nowMs: number): number;
    tokens(nowMs: number): number;
    isIdle(nowMs: number): boolean;
    take(cost: number, nowMs: number): boolean;
    missed(cost: number, nowMs: number): void;
    /**
     * Asks the store how the bucket stands, unless that is known. Others may have left the queue or ended the pause, and
     * while no request waits here nothing else would find out.
     */
    refusedFor(waitMs: number, nowMs: number): void;
    isTooLate(cost: number, deadlineMs: number, nowMs: number): boolean;
    waitMs(cost: number, nowMs: number): number;
    /** Leases tokens for the queue if there are none. */
    dueMs(firstCost: number, nowMs: number): number;
    /** Tokens that were not leased cannot be given back to the store. */
    settle(surplusTokens: number, held: string | undefined, nowMs: number): void;
    pause(untilMs: number, nowMs: number): void;
    resume(nowMs: number): void;
    /** Gives everything back. Never rejects, and ends within the store's time limit. */
    close(): Promise<void>;
}
//# sourceMappingURL=fleet-tokens.d.ts.map