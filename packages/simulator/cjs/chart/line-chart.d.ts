import { type Band } from './bands.ts';
import { type Heading } from './frame.ts';
import { type Colour } from './palette.ts';
/** A line with a label at its end. */
export interface Line {
    readonly name: string;
    readonly colour: Colour;
    /** In order of x. */
    readonly points: readonly (readonly [x: number, y: number])[];
    /** Keeps the value until the next point. */
    readonly steps?: boolean;
    /** The lengths of dashes and gaps, in pixels; `true` is `[6, 4]`. */
    readonly dashed?: boolean | readonly number[];
}
/** The contents of a line chart. */
export interface LineChart extends Heading {
    readonly x: string;
    readonly y: string;
    readonly lines: readonly Line[];
    readonly bands?: readonly Band[];
    /** The end of the y axis. Higher values are cut. */
    readonly most?: number;
}
/**
 * Lines with their names at their ends. The figure is as high as the names need. Lines that coincide are drawn in turns,
 * so that each is visible.
 * @throws RangeError if there are no lines, or a line has no points
 */
export declare function lineChart(chart: LineChart): string;
//# sourceMappingURL=line-chart.d.ts.map