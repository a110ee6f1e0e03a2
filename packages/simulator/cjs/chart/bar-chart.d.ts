import { type Heading } from './frame.ts';
import { type Colour } from './palette.ts';
/** Part of a bar. */
export interface BarPart {
    readonly value: number;
    readonly colour: Colour;
}
/** One value of a row: parts side by side, and a text. */
export interface Bar {
    readonly parts: readonly BarPart[];
    readonly text: string;
}
/** A row: a name, and a bar in each column. */
export interface Row {
    readonly name: string;
    readonly bars: readonly Bar[];
}
/** The contents of a bar chart. */
export interface BarChart extends Heading {
    readonly columns: readonly string[];
    readonly rows: readonly Row[];
}
/**
 * Rows of bars, with a column for each measure. Long names and headings are broken into lines.
 * @throws RangeError if the texts of the columns leave no room for bars
 */
export declare function barChart(chart: BarChart): string;
//# sourceMappingURL=bar-chart.d.ts.map