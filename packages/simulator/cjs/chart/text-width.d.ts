/** The font size of a text, in pixels, and whether it is bold. */
export interface Type {
    readonly size: number;
    readonly bold?: boolean;
}
/** The largest width of a text in any likely font, in pixels. */
export declare function widthOf(text: string, { size, bold }: Type): number;
/** Breaks a text into lines of at most this width, between words, and within words that are wider. */
export declare function wrap(text: string, type: Type, width: number): string[];
//# sourceMappingURL=text-width.d.ts.map