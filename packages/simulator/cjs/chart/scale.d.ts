/** Maps values to places along an axis. */
export interface Scale {
    (value: number): number;
    readonly ticks: readonly number[];
}
/** A round step, 1, 2 or 5 times a power of ten, that divides the span into about this many steps. */
export declare function stepFor(span: number, steps: number): number;
/** A scale from 0 to `most`, with a few round ticks. */
export declare function linearScale(most: number, from: number, to: number, step?: number): Scale;
/** The next round number, at which an axis with this largest value ends. */
export declare function roundUp(value: number, steps?: number): number;
/** 1,234 and 0.5: an English numeral, independent of the machine's locale. */
export declare function numeral(value: number): string;
//# sourceMappingURL=scale.d.ts.map