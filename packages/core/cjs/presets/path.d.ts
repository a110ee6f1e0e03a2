/** The path of a URL, absolute or not, with what stands in front of it: without the query and the fragment. */
export declare function pathOf(url: string): string;
//# sourceMappingURL=path.d.ts.map