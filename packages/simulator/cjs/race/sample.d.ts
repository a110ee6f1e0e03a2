/** The mean of several runs. */
export interface Sample {
    readonly mean: number;
    /** The standard error of the mean. */
    readonly standardError: number;
}
/** The mean of some numbers and its standard error. */
export declare function sampleOf(values: Float64Array): Sample;
//# sourceMappingURL=sample.d.ts.map