import type { ComparisonPoint } from './comparison.ts';
import type { Sample } from './sample.ts';
/** A mean that the article's own program measured. */
export interface ReferenceMean {
    readonly clients: number;
    readonly rule: string;
    readonly measure: 'completionMs' | 'calls';
    readonly sample: Sample;
}
/** Reads `data/aws-backoff-reference.csv`, which has two means in each line. */
export declare function referenceMeans(csv: string): ReferenceMean[];
/**
 * The distance of each mean from the reference, in standard errors of the difference.
 * @throws Error if there is no point for a mean of the reference
 */
export declare function distances(points: readonly ComparisonPoint[], reference: readonly ReferenceMean[]): number[];
//# sourceMappingURL=agreement.d.ts.map