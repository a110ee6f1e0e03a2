import type { Quantiles } from './histogram.ts';
import type { Series, Totals } from './measures.ts';
import type { Recovery } from './recovery.ts';
/** The result of a run: plain data, the same for the same scenario and seed. */
export interface Trace {
    readonly seed: number;
    readonly intervalMs: number;
    readonly series: Series;
    readonly totals: Totals;
    /** Attempts for each request. */
    readonly amplification: number;
    /** From the request to its answer, for successful requests. */
    readonly latencyMs: Quantiles;
    /** How long attempts waited for a token of their client; 0 without buckets. */
    readonly tokenWaitMs: Quantiles;
    readonly recovery: Recovery | undefined;
    /** Events of the run. */
    readonly events: number;
}
/** The share of the requests that failed, including those that a client itself refused to send. */
export declare function failedShare({ totals }: Trace): number;
//# sourceMappingURL=trace.d.ts.map