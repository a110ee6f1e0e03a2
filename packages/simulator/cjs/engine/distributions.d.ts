import type { Random } from '@ebb/core';
/** An exponentially distributed time with this mean. */
export declare function exponentialTime(meanMs: number, random: Random): number;
/** A log-normally distributed time with this mean: its long tail is that of real services. */
export declare function logNormalTime(meanMs: number, random: Random): number;
//# sourceMappingURL=distributions.d.ts.map