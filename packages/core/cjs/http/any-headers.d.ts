/**
 * A header by its lower-case name, in any form in which libraries keep headers, in any case. Never throws: a defect of an
 * error must not replace the error.
 */
export declare function headerIn(headers: unknown, name: string): string | undefined;
//# sourceMappingURL=any-headers.d.ts.map