/**
 * A copy of headers that came as an iterator, which can be read only once; `undefined` for other headers. It reads the
 * iterator lazily, so that errors of the iterator surface where fetch reads it.
 */
export declare function rereadableHeaders(headers: unknown): Iterable<string[]> | undefined;
/** A request header by its lower-case name; `undefined` also if the base fetch will reject the headers. */
export declare function headerIn(headers: unknown, name: string): string | undefined;
//# sourceMappingURL=headers.d.ts.map