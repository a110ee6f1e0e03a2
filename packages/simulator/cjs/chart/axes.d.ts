import { type Heading } from './frame.ts';
import { type Scale } from './scale.ts';
/** What the axes of a plot depend on. */
export interface PlotNeeds {
    /** The names of the axes. */
    readonly x: string;
    readonly y: string;
    /** The largest values. */
    readonly last: number;
    readonly highest: number;
    /** The end of the y axis, if it is fixed. */
    readonly most?: number | undefined;
    readonly right: number;
    /** The least height. */
    readonly height: number;
}
/** The area in which a line chart draws its lines. */
export interface Plot {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
    readonly x: Scale;
    readonly y: Scale;
    readonly most: number;
    readonly xName: readonly string[];
    readonly yName: readonly string[];
    /** The height of the whole figure. */
    readonly figureHeight: number;
}
/** Lays out the area of the lines, with room for the texts around it. */
export declare function plotOf(heading: Heading, needs: PlotNeeds): Plot;
/** The grid, its numbers, and the names of the axes. */
export declare function drawnAxes({ left, right, top, bottom, x, y, xName, yName }: Plot): string[];
//# sourceMappingURL=axes.d.ts.map