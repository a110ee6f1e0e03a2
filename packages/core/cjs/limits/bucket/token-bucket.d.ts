import type { BucketStats, ObservableBucket } from '../contracts.ts';
import type { Tally } from '../queue/options.ts';
import type { Quota } from './gcra.ts';
import { MemoryTokens } from './memory-tokens.ts';
import { type BucketSetup, type TokenBucketOptions } from './options.ts';
import { WaitingBucket } from './waiting-bucket.ts';
import type { WaitingBucketSetup } from './waiting-bucket-options.ts';
/** A token bucket in the memory of this process. */
export interface MemoryBucket extends ObservableBucket {
    /**
     * Changes the rate, and the capacity if one is given. Available tokens are kept up to the capacity. Requests in the
     * queue that cost more than the new capacity are refused.
     *
     * @throws TypeError, RangeError for numbers that {@link TokenBucketOptions} does not accept
     */
    setRate(refillPerSecond: number, capacity?: number): void;
    /**
     * How long until so many tokens can be taken, in milliseconds, if no one else takes any; 0 for now. For more than the
     * capacity: until so many have come in for several requests in a row.
     *
     * @throws TypeError, RangeError if the number is negative or not finite
     */
    waitMs(tokens?: number): number;
}
/** What {@link tokenBucket} returns. */
export declare class Bucket extends WaitingBucket<MemoryTokens, Bucket> implements MemoryBucket {
    #private;
    constructor(setup: BucketSetup);
    /** An adaptive bucket that is slower for a while limits its origins by itself. */
    protected get gateRate(): Quota;
    setRate(refillPerSecond: number, capacity?: number): void;
    /** Sets the rate, but not the one that the user wants: an adaptive bucket finds its rate again after an eviction. */
    protected changeRate(refillPerSecond: number, capacity?: number): void;
    waitMs(tokens?: number): number;
    stats(): BucketStats;
}
/** A bucket for an origin that asked for a pause. It starts empty or with so many tokens, and stands in front of a bucket of this rate. */
export declare function originGate(setup: WaitingBucketSetup & {
    readonly refillIntervalMs?: number;
    readonly tally?: Tally;
}, { refillPerSecond, capacity }: Quota, tokens?: number): Bucket;
/**
 * A token bucket: `capacity` tokens at most, `refillPerSecond` of them come back each second, and each request takes its
 * cost before it is sent. In any window of time at most `capacity + refillPerSecond · window` tokens are granted.
 *
 * Most callers give it to a policy: `createPolicy({ bucket })`. Without a client use `acquire`, which waits for its
 * turn; `tryAcquire` if the work can be dropped or done later; `stats` to watch it. `pauseFor` and `setRate` are for
 * quotas that change at run time.
 *
 * The bound holds for the moments at which requests are sent. A server counts when they arrive, and the network may
 * bunch them: stay five to ten percent below a hard limit.
 *
 * One timer serves the whole queue. It keeps the process alive only while a request waits.
 *
 * @example
 * ```ts
 * import { createPolicy, tokenBucket } from '@ebb/core';
 *
 * // At most 500 requests a second on average, and 100 at once; a request waits for at most 5 s.
 * const bucket = tokenBucket({ refillPerSecond: 500, capacity: 100, maxWaitMs: 5_000 });
 * const policy = createPolicy({ bucket });
 * ```
 *
 * @throws TypeError, RangeError for a wrong option
 */
export declare function tokenBucket(options: TokenBucketOptions): MemoryBucket;
//# sourceMappingURL=token-bucket.d.ts.map