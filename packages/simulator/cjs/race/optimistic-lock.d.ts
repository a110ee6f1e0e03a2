import type { BackoffStrategy } from '@ebb/core';
import { type Sample } from './sample.ts';
/** Options of {@link raceForLock}. */
export interface LockRace {
    readonly clients: number;
    readonly backoff: BackoffStrategy;
    /** @default 100 */
    readonly runs?: number;
    /** @default 1 */
    readonly seed?: number;
    /**
     * The delay of each message, in milliseconds: |N(mean, deviation)|.
     * @default 10
     */
    readonly networkMeanMs?: number;
    /** @default 2 */
    readonly networkDeviationMs?: number;
}
/** The result of a race: means over its runs. */
export interface LockResult {
    readonly clients: number;
    readonly runs: number;
    /** Attempts to write the row. */
    readonly calls: Sample;
    /** When the last client got its answer, in milliseconds. */
    readonly completionMs: Sample;
    /** Clients whose rule gave up before they could write. */
    readonly gaveUp: Sample;
}
/**
 * A race for one row. Each client reads the row and writes it with the version that it read; after a conflict it backs
 * off and reads again. This is the comparison of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture Blog,
 * 2015).
 *
 * Only successful writes change the row, so the simulation steps from one of them to the next. After each, every client
 * that read the row before it is certain to fail: its next read and write are drawn at once. The earliest write of all
 * clients is then the next to succeed. The result is that of a simulation of each message, without an event queue.
 */
export declare function raceForLock(options: LockRace): LockResult;
//# sourceMappingURL=optimistic-lock.d.ts.map