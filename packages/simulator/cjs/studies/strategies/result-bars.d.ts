import type { Heading } from '../../chart/frame.ts';
import type { Colour } from '../../chart/palette.ts';
import type { Trace } from '../../measure/trace.ts';
import type { ExperimentResult } from '../experiment.ts';
/** A measure of a run, as a column of bars. */
export interface Measure {
    readonly name: string;
    readonly colour: Colour;
    /** `undefined` has no bar. */
    readonly value: (trace: Trace) => number | undefined;
    readonly text: (value: number | undefined) => string;
}
export declare const SENDS: Measure;
/** Requests that have no answer at the end, such as those that wait for ever, are not answered. */
export declare const ANSWERED: Measure;
export declare const P99: Measure;
/** Requests that a quota refused, per second. */
export declare const TOO_MANY: Measure;
export declare const RECOVERY: Measure;
/** A row of bars for each policy. */
export declare function resultBars(heading: Heading, results: readonly ExperimentResult[], measures: readonly Measure[]): string;
/** The trace of a policy. */
export declare function traceOf(results: readonly ExperimentResult[], name: string): Trace;
//# sourceMappingURL=result-bars.d.ts.map