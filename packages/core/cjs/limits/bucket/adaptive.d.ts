import { type TokenBucketOptions } from './options.ts';
import { type MemoryBucket } from './token-bucket.ts';
/** Options of {@link adaptive}: those of a token bucket, with the highest rate as `refillPerSecond`. */
export interface AdaptiveOptions extends TokenBucketOptions {
    /**
     * The rate after a throttled request, as a share of the rate before it.
     * @default 0.7
     */
    readonly decreaseTo?: number | undefined;
    /**
     * The share of the highest rate that is added back per second while requests wait for tokens.
     * @default 0.05
     */
    readonly recoverPerSecond?: number | undefined;
    /**
     * The lowest rate, in tokens per second, with the bounds of `refillPerSecond`.
     * @default a hundredth of the highest
     */
    readonly minRefillPerSecond?: number | undefined;
}
/**
 * A token bucket that finds the rate that a server accepts. A throttled request lowers the rate at once; successful
 * requests that had to wait raise it slowly, up to `refillPerSecond`. A burst that is throttled lowers it once.
 *
 * Source: additive increase, multiplicative decrease (RFC 5681 §3.1); growth only under load as in RFC 7661.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { adaptive, createPolicy } from '@ebb/core';
 *
 * // At most 100 requests per second, at least 5.
 * const bucket = adaptive({ refillPerSecond: 100, minRefillPerSecond: 5 });
 * const policy = createPolicy({ bucket });
 * ```
 */
export declare function adaptive(options: AdaptiveOptions): MemoryBucket;
//# sourceMappingURL=adaptive.d.ts.map