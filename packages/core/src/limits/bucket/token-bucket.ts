import { notNegative } from '../../base/check.ts';
import type { Costs, Grant } from '../../policy/contracts.ts';
import type { ObservableBucket } from '../limit.ts';
import { Level, type LevelSetup } from './level.ts';
import { type BucketSetup, bucketSetup, checkRate, type TokenBucketOptions } from './options.ts';
import { QueuedBucket } from './queued-bucket.ts';

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
   * The time until this many tokens can be taken, in milliseconds, if no one else takes any; 0 for now. For more than the
   * capacity: until enough have come in for several requests in a row.
   *
   * @throws TypeError, RangeError if the number is negative or not finite
   */
  waitMs(tokens?: number): number;
  /** See {@link BucketMethods.atMost}. */
  atMost(left: number | Costs, answered?: Grant): void;
}

/** The bucket of {@link tokenBucket}. */
export class Bucket extends QueuedBucket<Level> implements MemoryBucket {
  constructor(setup: BucketSetup) {
    super(setup, (nowMs) => new Level(setup, nowMs));
  }

  /** The rate that the user has set last, in tokens per second. */
  protected get wantedRate(): number {
    return this.source.refillPerSecond;
  }

  protected override originSetup(): LevelSetup {
    const { capacity, refillIntervalMs } = this.source;
    return { refillPerSecond: this.wantedRate, capacity, initialTokens: capacity, refillIntervalMs };
  }

  setRate(refillPerSecond: number, capacity: number = this.source.capacity): void {
    const rate = { refillPerSecond, capacity };
    checkRate('setRate', rate);
    this.source.setRate(rate, this.time.now());
    this.capacityChanged();
  }

  waitMs(tokens = 1): number {
    notNegative('waitMs: tokens', tokens);
    return this.source.waitMs(tokens, this.time.now());
  }
}

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
 * A single timer serves the whole queue, and keeps the process alive only while a request waits.
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
export function tokenBucket(options: TokenBucketOptions): MemoryBucket {
  return new Bucket(bucketSetup(options));
}
