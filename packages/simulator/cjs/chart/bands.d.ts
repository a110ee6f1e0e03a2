import type { Scale } from './scale.ts';
/** A shaded stretch of the x axis, with a name. */
export interface Band {
    readonly name: string;
    readonly from: number;
    readonly to: number;
}
/** The bands of a plot, with their names at the top. */
export declare function drawnBands(bands: readonly Band[], x: Scale, { left, right, top, bottom }: Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>): string[];
//# sourceMappingURL=bands.d.ts.map