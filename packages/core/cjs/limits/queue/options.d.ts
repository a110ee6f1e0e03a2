import type { Complete, OptionTable } from '../../base/options.ts';
/**
 * Which request is refused when the queue is full: `'reject'` the new one, `'drop-oldest'` the one that has waited
 * longest, `'drop-lowest'` the last one of the lowest priority, if that is below the new one's.
 */
type Overflow = 'reject' | 'drop-oldest' | 'drop-lowest';
/** Limits of the queue in front of a bucket or a concurrency limit. */
export interface WaitingOptions {
    /**
     * The most requests that may wait.
     * @default no limit
     */
    readonly maxQueue?: number | undefined;
    /**
     * Which request is refused when the queue is full.
     * @default 'reject'
     */
    readonly overflow?: Overflow | undefined;
    /**
     * The longest wait, in milliseconds. A request that would wait longer is refused at once.
     * @default no limit
     */
    readonly maxWaitMs?: number | undefined;
    /**
     * How much longer a request must have waited to go before one of the next higher priority, in milliseconds, so that
     * low priorities are never starved. A retry counts as half a step of priority.
     * @default 60_000
     */
    readonly agingMs?: number | undefined;
}
/** How many requests wait in several queues. */
export interface Tally {
    waiting: number;
}
/** Validated options with all defaults applied. */
export interface WaitingSetup extends Complete<WaitingOptions> {
    /** Counts the requests of this queue among others. */
    readonly tally?: Tally | undefined;
}
/** How the options of a queue are read. */
export declare const WAITING_OPTIONS: OptionTable<WaitingOptions>;
export {};
//# sourceMappingURL=options.d.ts.map