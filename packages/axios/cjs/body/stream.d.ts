/**
 * Whether sending a body uses it up: Node and web streams, the `form-data` package, iterators. Recognized by
 * shape, since the object may come from another realm or another package.
 */
export declare function isSingleUse(data: unknown): boolean;
/**
 * Closes a single-use body that will not be read any further, so that a file behind it does not stay open. Leaves
 * a body that has ended, a locked web stream and any other value alone. Never throws.
 */
export declare function closeBody(data: unknown, reason: unknown): void;
//# sourceMappingURL=stream.d.ts.map