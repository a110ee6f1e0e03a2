/** The attributes of an element. Numbers are rounded, and `undefined` is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;
/** An SVG element with its children: elements, or an escaped text. */
export declare function element(name: string, attributes: Attributes, ...children: readonly string[]): string;
/** A text element. */
export declare function label(text: string, attributes: Attributes): string;
/** The path data of a line through these points. */
export declare function pathThrough(points: readonly (readonly [x: number, y: number])[]): string;
//# sourceMappingURL=svg.d.ts.map