import { type MemoryBucket, tokenBucket } from './bucket.ts';
import type { TokenBucketOptions } from './bucket-options.ts';
import { callable } from './check.ts';
import type { ObservableBucket, PerKey } from './limits.ts';
import type { RequestTraits } from './outcome.ts';
import { KeyMap, type PerKeyOptions } from './per-key.ts';

type KeyOf = (request: RequestTraits) => string;
type MakeOf<B> = (key: string) => B;
type Make = TokenBucketOptions | MakeOf<ObservableBucket>;

/**
 * A bucket for each key: for each origin, if `keyOf` does not say otherwise. `make` answers the bucket of a
 * key, or is the options that all of them have.
 *
 * What is settled with a bucket that was let go meanwhile is lost: let `idleMs` be longer than a request takes.
 *
 * @throws TypeError, RangeError for a wrong option
 */
export function bucketPerKey(
  keyOf: KeyOf,
  make: TokenBucketOptions,
  options?: PerKeyOptions,
): PerKey<MemoryBucket>;
export function bucketPerKey<B extends ObservableBucket>(
  keyOf: KeyOf,
  make: MakeOf<B>,
  options?: PerKeyOptions,
): PerKey<B>;
export function bucketPerKey<B extends ObservableBucket>(make: MakeOf<B>, options?: PerKeyOptions): PerKey<B>;
export function bucketPerKey(make: TokenBucketOptions, options?: PerKeyOptions): PerKey<MemoryBucket>;
export function bucketPerKey(
  first: KeyOf | Make,
  second?: Make | PerKeyOptions,
  third?: PerKeyOptions,
): PerKey<ObservableBucket> {
  if (isMake(second)) {
    callable('bucketPerKey: keyOf', first);
    return make(second, { ...third, keyOf: first as KeyOf });
  }
  return make(first as Make, second);
}

function isMake(value: Make | PerKeyOptions | undefined): value is Make {
  return typeof value === 'function' || (typeof value === 'object' && 'refillPerSecond' in value);
}

function make(what: Make, options: PerKeyOptions = {}): PerKey<ObservableBucket> {
  const makeOne = typeof what === 'function' ? what : () => tokenBucket(what);
  // Wrong options are told now, and not at the first request.
  if (typeof what !== 'function') tokenBucket(what);
  return new KeyMap('bucketPerKey', makeOne, (bucket) => bucket.stats().idle, options);
}
