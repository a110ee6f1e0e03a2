import { type Type } from './text-width.ts';
export declare const WIDTH = 760;
export declare const MARGIN = 16;
/** The type of ordinary text. */
export declare const TEXT: Type;
/** The type of names. */
export declare const NAME: Type;
/** The line height of these two. */
export declare const LINE_HEIGHT = 18;
/** The texts above a figure. */
export interface Heading {
    /** What the figure shows, as a sentence. */
    readonly title: string;
    /** The setting, in one or two sentences. */
    readonly note: string;
}
/** The height of the heading. */
export declare function headingHeight(heading: Heading): number;
/** A whole figure. It has no background, and its colours are readable on light and on dark pages. */
export declare function figure(heading: Heading, height: number, ...children: readonly string[]): string;
/** A text of several lines. `middle` is the middle of the whole block. */
export declare function block(lines: readonly string[], x: number, middle: number, attributes?: Readonly<Record<string, string | number>>): string[];
//# sourceMappingURL=frame.d.ts.map