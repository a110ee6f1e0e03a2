import { plainFeedback, type ReadFeedback } from '../../http/feedback.ts';
import type { CloseOptions, ObservableBucket, PerKey } from '../contracts.ts';
import { KeyMap } from '../per-key.ts';
import {
  type KeyOf,
  type PerKeyArguments,
  type PerKeyOptions,
  type PerKeySetup,
  readPerKey,
} from '../per-key-options.ts';
import { waitingAtClose } from './closing.ts';
import { BUCKET_OPTIONS, bucketSetup, type TokenBucketOptions } from './options.ts';
import { Bucket, type MemoryBucket } from './token-bucket.ts';

/** A bucket per key. All of them can be closed together. */
export interface BucketPerKey<B extends ObservableBucket> extends PerKey<B> {
  /** Resolves when no request waits at any of them: at once if none does. */
  idle(): Promise<void>;
  /** Closes all of them, and those of keys to come, as {@link ObservableBucket.close} does. */
  close(options?: CloseOptions): Promise<void>;
}

class Buckets extends KeyMap<ObservableBucket> implements BucketPerKey<ObservableBucket> {
  /** Reads as the bucket that was made last: a response comes after the first. */
  readonly feedback: ReadFeedback = (...response) => (this.#last?.feedback || plainFeedback)(...response);
  #last: ObservableBucket | undefined;
  #closed: CloseOptions | undefined;

  constructor(make: (key: string) => ObservableBucket, setup: PerKeySetup) {
    const makeForKey = (key: string): ObservableBucket => {
      const bucket = make(key);
      this.#last = bucket;
      if (this.#closed !== undefined) void bucket.close(this.#closed);
      return bucket;
    };
    super(makeForKey, (bucket) => this.#isIdle(bucket), setup);
  }

  /** A closed bucket without a queue is as good as new once new buckets are closed as well. */
  #isIdle(bucket: ObservableBucket): boolean {
    const { idle, waiting } = bucket.stats();
    return idle || (this.#closed !== undefined && waiting === 0);
  }

  async idle(): Promise<void> {
    for (let busy = this.#busy(); busy.length > 0; busy = this.#busy()) {
      await Promise.all(busy.map((bucket) => bucket.idle()));
    }
  }

  #busy(): ObservableBucket[] {
    return [...this.values()].filter((bucket) => bucket.stats().waiting > 0);
  }

  async close(options?: CloseOptions): Promise<void> {
    const waiting = waitingAtClose(options);
    this.#closed = { waiting };
    await Promise.all([...this.values()].map((bucket) => bucket.close({ waiting })));
  }
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
export function bucketPerKey(
  keyOf: KeyOf,
  make: TokenBucketOptions,
  options?: PerKeyOptions,
): BucketPerKey<MemoryBucket>;
export function bucketPerKey<B extends ObservableBucket>(
  keyOf: KeyOf,
  make: (key: string) => B,
  options?: PerKeyOptions,
): BucketPerKey<B>;
export function bucketPerKey<B extends ObservableBucket>(
  make: (key: string) => B,
  options?: PerKeyOptions,
): BucketPerKey<B>;
export function bucketPerKey(make: TokenBucketOptions, options?: PerKeyOptions): BucketPerKey<MemoryBucket>;
export function bucketPerKey(
  ...given: PerKeyArguments<ObservableBucket, TokenBucketOptions>
): BucketPerKey<ObservableBucket> {
  const { make, setup } = readPerKey('bucketPerKey', given, BUCKET_OPTIONS, (options) => {
    const bucket = bucketSetup(options);
    return () => new Bucket(bucket);
  });
  return new Buckets(make, setup);
}
