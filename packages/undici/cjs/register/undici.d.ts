/** What is used of undici. */
export type Undici = typeof import('undici');
/**
 * The installed undici. It is not imported, because undici sets its own global dispatcher when it is loaded, which must not
 * happen with `EBB=off`.
 *
 * @throws Error if it is missing, is no undici 7 or 8, does not run on this Node, or is the one of Bun
 */
export declare function loadUndici(): Undici;
//# sourceMappingURL=undici.d.ts.map