/** Quantiles, in milliseconds. */
export interface Quantiles {
    readonly count: number;
    readonly mean: number;
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
    readonly p999: number;
    readonly max: number;
}
/** Counts durations, in milliseconds, in buckets whose width grows with the duration. */
export declare class Histogram {
    #private;
    add(durationMs: number): void;
    quantiles(): Quantiles;
}
//# sourceMappingURL=histogram.d.ts.map