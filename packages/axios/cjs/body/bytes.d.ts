/** A part of a body as bytes: text in UTF-8, a buffer or a view of one. None for anything else. */
export declare function bytesOf(part: unknown): Uint8Array;
//# sourceMappingURL=bytes.d.ts.map