import type { BucketStats, ObservableBucket } from '@ebb/core';
import { type CloseOptions } from '@ebb/core/bucket';
import { type ValkeyBucketOptions } from './options.ts';
/** How a shared bucket stands, as far as this process knows. */
export interface ValkeyBucketStats extends BucketStats {
    /** `'shared'`, or what holds while the store cannot be reached. */
    readonly mode: 'shared' | 'local' | 'open' | 'closed';
    /** Tokens that this process has leased and not spent. */
    readonly leased: number;
    /** Processes that took tokens lately: the highest count of a minute; 0 until the store has reported one. */
    readonly processes: number;
    /** Calls of this process to the store. */
    readonly calls: number;
}
/** A token bucket that all processes with the same key share. */
export interface ValkeyBucket extends ObservableBucket {
    stats(): ValkeyBucketStats;
    /**
     * As {@link ObservableBucket.close}. Also gives back leased tokens that were not spent: at once, or with `'drain'`
     * when the queue is empty. The client stays open.
     */
    close(options?: CloseOptions): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
/**
 * A token bucket in Valkey or Redis that all processes with the same key share: in any window of
 * time at most `capacity + rate · window` tokens are leased to them all together.
 *
 * @throws TypeError, RangeError for an invalid option
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { valkeyBucket } from '@ebb/valkey';
 * import { Redis } from 'iovalkey';
 *
 * // 500 requests per second for all processes together.
 * const client = new Redis('redis://localhost:6379');
 * const bucket = valkeyBucket({ client, key: 'api.example.com', refillPerSecond: 500 });
 * const fetch = createFetch({ bucket });
 * ```
 */
export declare function valkeyBucket(options: ValkeyBucketOptions): ValkeyBucket;
//# sourceMappingURL=bucket.d.ts.map