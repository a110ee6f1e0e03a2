/**
 * Places labels at their wished heights, or as near to them as possible: no label overlaps another or leaves the stretch
 * from `top` to `bottom`, and they keep their order. Heights are those of the middles.
 */
export declare function spread(wished: readonly number[], heights: readonly number[], top: number, bottom: number): number[];
//# sourceMappingURL=labels.d.ts.map