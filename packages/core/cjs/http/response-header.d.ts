/** A response header by its lower-case name. A mock may have no headers, or a plain object. */
export declare function responseHeader(headers: unknown, name: string): string | undefined;
//# sourceMappingURL=response-header.d.ts.map