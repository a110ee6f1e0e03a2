import type { Outcome } from './outcome.ts';
/**
 * An HTTP date in any of its three formats, in milliseconds since 1970; `undefined` for anything else. A two-digit year
 * that would be more than 50 years after `nowMs` is in the past.
 *
 * Source: RFC 9110 §5.6.7.
 */
export declare function parseHttpDate(text: string, nowMs: number): number | undefined;
/**
 * The wait that a response asks for with `Retry-After`, in milliseconds: seconds, or an HTTP date. A date is compared with
 * the `Date` of the same response, so that the clocks of the two machines need not agree; a date in the past is 0. Anything
 * else is ignored.
 *
 * Two extensions of the RFC, because servers use them: fractions of a second; and several fields, which clients join with
 * commas, of which the longest applies.
 *
 * Source: RFC 9110 §10.2.3.
 *
 * @example
 * ```ts
 * import type { Outcome } from '@ebb/core';
 * import { retryAfterMs } from '@ebb/core/adapter';
 *
 * const headers = new Headers({ 'retry-after': '2.5' });
 * const header = (name: string) => headers.get(name) ?? undefined;
 * const outcome: Outcome = { type: 'response', status: 503, header };
 * console.log(retryAfterMs(outcome, Date.now())); // 2500
 * ```
 */
export declare function retryAfterMs(outcome: Outcome, nowMs: number): number | undefined;
//# sourceMappingURL=retry-after.d.ts.map