/** Says what differs, with both values; `undefined` if they are the same. */
export declare function difference(what: string, got: unknown, expected: unknown): string | undefined;
/**
 * Fails if something differs.
 *
 * @param differences what {@link difference} returned
 * @param cause what the call rejected with
 */
export declare function check(differences: readonly (string | undefined)[], cause?: unknown): void;
//# sourceMappingURL=same.d.ts.map