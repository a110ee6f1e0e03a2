/** 850 ms, 8.5 s, 85 s. */
export declare function duration(ms: number): string;
//# sourceMappingURL=duration.d.ts.map