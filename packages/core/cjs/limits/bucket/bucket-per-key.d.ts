import type { CloseOptions, ObservableBucket, PerKey } from '../contracts.ts';
import { type KeyOf, type PerKeyOptions } from '../per-key-options.ts';
import { type TokenBucketOptions } from './options.ts';
import { type MemoryBucket } from './token-bucket.ts';
/** A bucket per key. All of them can be closed together. */
export interface BucketPerKey<B extends ObservableBucket> extends PerKey<B> {
    /** Resolves when no request waits at any of them: at once if none does. */
    idle(): Promise<void>;
    /** Closes all of them, and those of keys to come, as {@link ObservableBucket.close} does. */
    close(options?: CloseOptions): Promise<void>;
}
/**
 * A {@link tokenBucket} per key: by default per origin. `make` is the options that all of them share, or a function that
 * returns the bucket of a key.
 *
 * A key never has two buckets: one that you hold is the one that `for` returns, even if it was evicted in between.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { bucketPerKey } from '@ebb/core';
 *
 * // 50 requests per second to each origin.
 * const perOrigin = bucketPerKey({ refillPerSecond: 50 });
 * // 10 requests per second for each tenant.
 * const perTenant = bucketPerKey((request) => request.header('x-tenant') ?? '', { refillPerSecond: 10 });
 * ```
 */
export declare function bucketPerKey(keyOf: KeyOf, make: TokenBucketOptions, options?: PerKeyOptions): BucketPerKey<MemoryBucket>;
export declare function bucketPerKey<B extends ObservableBucket>(keyOf: KeyOf, make: (key: string) => B, options?: PerKeyOptions): BucketPerKey<B>;
export declare function bucketPerKey<B extends ObservableBucket>(make: (key: string) => B, options?: PerKeyOptions): BucketPerKey<B>;
export declare function bucketPerKey(make: TokenBucketOptions, options?: PerKeyOptions): BucketPerKey<MemoryBucket>;
//# sourceMappingURL=bucket-per-key.d.ts.map