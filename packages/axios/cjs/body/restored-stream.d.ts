/** A Node stream with these parts, which then ends, or fails with the error if there is one. */
export declare function nodeStream(parts: readonly unknown[], error: unknown, objectMode: boolean): unknown;
/** The same as a web stream. */
export declare function webStream(parts: readonly unknown[], error: unknown): ReadableStream<unknown>;
//# sourceMappingURL=restored-stream.d.ts.map