import { type MemoryBucket, tokenBucket } from './bucket.ts';
import type { TokenBucketOptions } from './bucket-options.ts';
import type { ObservableBucket, PerKey } from './limits.ts';
import { KeyMap, type PerKeyOptions } from './per-key.ts';

/**
 * A bucket for each key: for each origin, if nothing else is said. `make` answers the bucket of a key, or is the
 * options that all of them have.
 *
 * What is settled with a bucket that was let go meanwhile is lost: let `idleMs` be longer than a request takes.
 *
 * @throws TypeError, RangeError for a wrong option
 */
export function bucketPerKey(make: TokenBucketOptions, options?: PerKeyOptions): PerKey<MemoryBucket>;
export function bucketPerKey<B extends ObservableBucket>(
  make: (key: string) => B,
  options?: PerKeyOptions,
): PerKey<B>;
export function bucketPerKey(
  make: TokenBucketOptions | ((key: string) => ObservableBucket),
  options: PerKeyOptions = {},
): PerKey<ObservableBucket> {
  const makeOne = typeof make === 'function' ? make : () => tokenBucket(make);
  // Wrong options are told now, and not at the first request.
  if (typeof make !== 'function') tokenBucket(make);
  return new KeyMap('bucketPerKey', makeOne, (bucket) => bucket.stats().idle, options);
}
