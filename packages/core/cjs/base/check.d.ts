export { isOptionError, nameOf, type OptionError, wrongRange, wrongType } from './option-error.ts';
/** Throws for a value that an option does not take: `TypeError` for a wrong type, `RangeError` for a wrong value. */
export type Check = (name: string, value: unknown) => void;
/** 0, 1, 2 … */
export declare const wholeNumber: Check;
/** 1, 2, 3 … */
export declare const countingNumber: Check;
/** A finite number, 0 included. */
export declare const notNegative: Check;
/** A finite number above 0. */
export declare const positive: Check;
/** The largest capacity. Sums are off by up to a billionth, which is more than a token beyond this. */
export declare const MOST_TOKENS = 1000000000;
/** The highest rate, in tokens per second: one per nanosecond, the resolution of clocks. */
export declare const MOST_PER_SECOND = 1000000000;
/** A capacity, in tokens. */
export declare const capacity: Check;
/** A refill rate, in tokens per second. */
export declare const refillRate: Check;
/** Priorities are whole numbers from -7 to 7. With a lane for retries each they fit in 30 bits. */
export declare const HIGHEST_PRIORITY = 7;
/** A priority. */
export declare const checkPriority: Check;
/** A function. */
export declare const callable: Check;
/** `true` or `false`. */
export declare const flag: Check;
/** One of a few words. */
export declare function oneOf(...words: readonly string[]): Check;
/** An object that has these methods. */
export declare function having(takes: string, ...methods: readonly string[]): Check;
//# sourceMappingURL=check.d.ts.map