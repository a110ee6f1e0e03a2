/** Warns as Node does if possible, since `reportError` ends the process in Deno. */
export declare function warn(text: string, cause?: unknown): void;
//# sourceMappingURL=warn.d.ts.map