import type { Outcome } from '@ebb/core';
/** The outcomes of an attempt, as numbers, so that an answer on its way is a number. */
export declare const OK = 0;
export declare const UNAVAILABLE = 1;
/** The connection was refused, so the server did nothing. */
export declare const REFUSED = 2;
/** The connection broke, perhaps after the server had acted. */
export declare const RESET = 3;
export declare const TIMED_OUT = 4;
export declare const FIRST_TOO_MANY = 5;
/** A 429, with Retry-After if it is defined. */
export declare function tooMany(retryAfterSeconds: number | undefined): number;
/** The outcomes as core knows them. */
export declare const OUTCOMES: readonly Outcome[];
//# sourceMappingURL=outcomes.d.ts.map