import { callable } from '../../base/check.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { CloseOptions, ObservableBucket, PerKey } from '../contracts.ts';
import { KeyMap, type PerKeyOptions } from '../per-key.ts';
import { waitingAtClose } from './closing.ts';
import type { TokenBucketOptions } from './options.ts';
import { type MemoryBucket, tokenBucket } from './token-bucket.ts';

/** A bucket for each key, all of which can be closed together. */
export interface BucketPerKey<B extends ObservableBucket> extends PerKey<B> {
  /** Resolves when no one waits at any of them: at once if no one does. */
  idle(): Promise<void>;
  /** Closes all of them, and those of further keys, as {@link ObservableBucket.close} does. */
  close(options?: CloseOptions): Promise<void>;
}

type KeyOf = (request: RequestTraits) => string;
type MakeOf<B> = (key: string) => B;
type Make = TokenBucketOptions | MakeOf<ObservableBucket>;

/**
 * A bucket for each key: for each origin, if `keyOf` does not say otherwise. `make` returns the bucket of a
 * key, or is the options that all of them have.
 *
 * A key never has two buckets: one that was let go while you hold it is the one that `for` returns, and what you do
 * with it counts.
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
  make: MakeOf<B>,
  options?: PerKeyOptions,
): BucketPerKey<B>;
export function bucketPerKey<B extends ObservableBucket>(
  make: MakeOf<B>,
  options?: PerKeyOptions,
): BucketPerKey<B>;
export function bucketPerKey(make: TokenBucketOptions, options?: PerKeyOptions): BucketPerKey<MemoryBucket>;
export function bucketPerKey(
  first: KeyOf | Make,
  second?: Make | PerKeyOptions,
  third?: PerKeyOptions,
): BucketPerKey<ObservableBucket> {
  if (isMake(second)) {
    callable('bucketPerKey: keyOf', first);
    return make(second, { ...third, keyOf: first as KeyOf });
  }
  return make(first as Make, second);
}

function isMake(value: Make | PerKeyOptions | undefined): value is Make {
  return typeof value === 'function' || (typeof value === 'object' && 'refillPerSecond' in value);
}

function make(what: Make, options: PerKeyOptions = {}): BucketPerKey<ObservableBucket> {
  const makeOne = typeof what === 'function' ? what : () => tokenBucket(what);
  // Wrong options are told now, and not at the first request.
  if (typeof what !== 'function') tokenBucket(what);
  return new Buckets(makeOne, options);
}

class Buckets extends KeyMap<ObservableBucket> implements BucketPerKey<ObservableBucket> {
  #closed: CloseOptions | undefined;

  constructor(makeOne: MakeOf<ObservableBucket>, options: PerKeyOptions) {
    const make: MakeOf<ObservableBucket> = (key) => {
      const bucket = makeOne(key);
      if (this.#closed !== undefined) void bucket.close(this.#closed);
      return bucket;
    };
    super('bucketPerKey', make, (bucket) => this.#mayGo(bucket), options);
  }

  /** A closed one is as good as a new one if new ones are closed, too. */
  #mayGo(bucket: ObservableBucket): boolean {
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
