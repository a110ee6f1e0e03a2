import type { BucketStats, ObservableBucket } from '@ebb/core';
import { WaitingBucket } from '@ebb/core/bucket';
import { LeasedTokens } from './leased-tokens.ts';
import { type DurableBucketOptions, type DurableSetup, durableSetup } from './options.ts';

/** How a bucket in a Durable Object stands, as far as this isolate knows. */
export interface DurableBucketStats extends BucketStats {
  /** `'shared'`, or the mode while the object cannot be reached. */
  readonly mode: 'shared' | 'local' | 'open' | 'closed';
  /** Tokens that this isolate has leased and not spent. */
  readonly leased: number;
  /** How many isolates have called the object within ten seconds; 0 before its first reply. */
  readonly isolates: number;
  /** Calls of this isolate to the object. */
  readonly calls: number;
  /** How often this isolate has lost the object. */
  readonly losses: number;
}

/** A token bucket in a Durable Object, which all isolates share. */
export interface DurableBucket extends ObservableBucket {
  stats(): DurableBucketStats;
  /**
   * The time until this many tokens can be taken, in milliseconds, as far as this isolate knows; 0 for now, and before the first reply.
   *
   * @throws TypeError, RangeError if the number is not a cost of this bucket
   */
  waitMs(tokens?: number): number;
}

/** The bucket of {@link durableBucket}. */
class LeasedBucket extends WaitingBucket<LeasedTokens> implements DurableBucket {
  constructor(setup: DurableSetup) {
    super(setup, new LeasedTokens(setup));
    this.source.serves({ time: this.time, waiting: this.queue, serve: () => this.serve() });
  }

  waitMs(tokens = 1): number {
    return this.source.waitMs(this.amountOf('waitMs', tokens) as number, this.time.now());
  }

  override stats(): DurableBucketStats {
    const { outage, pool, callers, calls, losses } = this.source;
    const mode = outage?.mode ?? 'shared';
    return { ...super.stats(), mode, leased: pool.left, isolates: callers, calls, losses };
  }
}

/**
 * A token bucket in a Durable Object that all isolates of a Cloudflare Worker share: in any window of time at most
 * `2 · capacity + refillPerSecond · window` tokens are spent by them all together. Make it once, in the global scope. An isolate leases
 * tokens for the next 100 ms with one call to the object, which is a {@link BucketObject}.
 *
 * @throws TypeError, RangeError for an invalid option
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { type BucketStub, durableBucket } from '@ebb/workers';
 *
 * // import { env, waitUntil } from 'cloudflare:workers';
 * declare const env: { BUCKET: { getByName(name: string): BucketStub } };
 * declare function waitUntil(promise: Promise<unknown>): void;
 *
 * // 500 requests per second for all isolates together.
 * const bucket = durableBucket({ object: () => env.BUCKET.getByName('api'), refillPerSecond: 500, waitUntil });
 * const fetch = createFetch({ bucket });
 * ```
 *
 */
export function durableBucket(options: DurableBucketOptions): DurableBucket {
  return new LeasedBucket(durableSetup(options));
}
