import { type BackoffStrategy } from './strategy.ts';
/** The curve of the exponential rules: base·2^n, at most cap, with n from 0 at the first retry. */
export interface Curve {
    /** The first delay, in milliseconds. */
    readonly baseMs: number;
    /** The largest delay, in milliseconds. */
    readonly capMs: number;
}
/**
 * min(cap, base·2^n), without jitter.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, exponential } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: exponential({ baseMs: 100, capMs: 10_000 }) });
 * ```
 */
export declare function exponential(curve: Curve): BackoffStrategy;
/**
 * A random delay between 0 and min(cap, base·2^n).
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, fullJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: fullJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
 */
export declare function fullJitter(curve: Curve): BackoffStrategy;
/**
 * Half of min(cap, base·2^n), plus a random delay up to the other half.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, equalJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: equalJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
 */
export declare function equalJitter(curve: Curve): BackoffStrategy;
/**
 * min(cap, a random delay between base and three times the previous delay). The previous delay of the first retry is base.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, decorrelatedJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: decorrelatedJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
 */
export declare function decorrelatedJitter(curve: Curve): BackoffStrategy;
/**
 * The same delay each time. `constant(0)` is the "no backoff" of the comparison in the source.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @param delayMs in milliseconds
 * @throws TypeError, RangeError for a wrong delay
 * @example
 * ```ts
 * import { constant, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: constant(500), maxRetries: 3 });
 * ```
 */
export declare function constant(delayMs: number): BackoffStrategy;
//# sourceMappingURL=curves.d.ts.map