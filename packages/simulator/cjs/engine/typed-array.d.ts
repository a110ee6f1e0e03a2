/** Copies a smaller array to the front of a larger one, and returns the larger one. */
export declare function copyInto<A extends Float64Array | Int32Array>(larger: A, smaller: A): A;
//# sourceMappingURL=typed-array.d.ts.map