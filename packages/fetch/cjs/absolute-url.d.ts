/** The URL that fetch will request; the input as a string if fetch will reject it. */
export declare function absoluteUrl(input: unknown): string;
//# sourceMappingURL=absolute-url.d.ts.map