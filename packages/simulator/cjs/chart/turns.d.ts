/** A place in the figure, in pixels. */
export type Place = readonly [x: number, y: number];
/** Places in order of x. */
export type Curve = readonly Place[];
/**
 * The pieces of each curve that are drawn again on top of all curves. Curves that coincide are on top in turns, so that
 * each is visible. No curve is moved.
 */
export declare function turnsOf(curves: readonly Curve[], left: number, right: number): Curve[][];
//# sourceMappingURL=turns.d.ts.map