type Part = Uint8Array<ArrayBuffer>;
/**
 * Returns the same stream, read up to 64 KiB ahead. Calls `ended` when its last part has arrived (read or not),
 * when it fails, and when it is cancelled; may call it more than once.
 */
export declare function readAhead(stream: ReadableStream<Part>, ended: () => void): ReadableStream<Part>;
export {};
//# sourceMappingURL=read-ahead.d.ts.map