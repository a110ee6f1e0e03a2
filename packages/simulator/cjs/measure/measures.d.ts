import { Histogram } from './histogram.ts';
/** The columns that count something in every interval, in this order. */
declare const COUNTED: readonly ['requests', 'sends', 'successes', 'failures', 'unavailable', 'refused', 'timeouts', 'throttled429', 'throttledLocally', 'lateAnswers'];
/** A column that counts something. */
export type Counted = (typeof COUNTED)[number];
/** A column that is read at the end of every interval. */
export type Seen = 'queue' | 'busy' | 'underWay';
/** One number for each interval. */
export type Series = Readonly<Record<Counted | Seen, Float64Array>>;
/** The sums over all intervals. */
export type Totals = Readonly<Record<Counted, number>>;
/** The counters of a run, by interval. */
export declare class Measures {
    #private;
    readonly series: Series;
    /** How long successful requests took, with all retries and waits. */
    readonly latency: Histogram;
    /** How long attempts waited for a token of their client. */
    readonly tokenWait: Histogram;
    constructor(intervals: number);
    /** Adds one to a column of the {@link series}. */
    count(counts: Float64Array): void;
    /** Ends the interval with the numbers that are read at its end. */
    close(queue: number, busy: number, underWay: number): void;
    get totals(): Totals;
}
export {};
//# sourceMappingURL=measures.d.ts.map