import { type Check, positive, refillRate, wrongRange } from '../../base/check.ts';
import { type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import type { Feedback, ReadFeedback } from '../../http/server-feedback.ts';
import type { Grant } from '../../loop/contracts.ts';
import { BUCKET_OPTIONS, checkedTogether, checkFill, type TokenBucketOptions } from './options.ts';
import { Bucket, type MemoryBucket } from './token-bucket.ts';

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

const share: Check = (name, value) => {
  positive(name, value);
  if ((value as number) >= 1) throw wrongRange(name, 'a number between 0 and 1', value);
};

const ADAPTIVE_OPTIONS: OptionTable<AdaptiveOptions> = {
  ...BUCKET_OPTIONS,
  decreaseTo: { check: share, default: 0.7 },
  recoverPerSecond: { check: positive, default: 0.05 },
  minRefillPerSecond: { check: refillRate, defaultOf: ({ refillPerSecond }) => refillPerSecond / 100 },
};

/** @throws TypeError, RangeError for a wrong option */
function adaptiveSetup(options: AdaptiveOptions): Complete<AdaptiveOptions> {
  const setup = checkedTogether('adaptive', readOptions('adaptive', options, ADAPTIVE_OPTIONS));
  const { refillPerSecond, capacity, minRefillPerSecond: lowest } = setup;
  // The default may be slower than a rate that can be given.
  if (options.minRefillPerSecond !== undefined) {
    checkFill('adaptive: minRefillPerSecond', { refillPerSecond: lowest, capacity });
  }
  if (lowest > refillPerSecond) {
    throw wrongRange('adaptive: minRefillPerSecond', `at most ${refillPerSecond}`, lowest);
  }
  return setup;
}

/** The rate is applied when it has grown by this share of the highest, because each change has a cost. */
const STEP = 0.01;

class AdaptiveBucket extends Bucket {
  readonly #decreaseTo: number;
  readonly #recoverPerSecond: number;
  readonly #lowest: number;
  #highest: number;
  #rate: number;
  /** When the rate was lowered last. Grants from before were sent at the old rate and prove nothing about the new one. */
  #changedAtMs = Number.NEGATIVE_INFINITY;

  constructor(setup: Complete<AdaptiveOptions>) {
    super(setup);
    this.#decreaseTo = setup.decreaseTo;
    this.#recoverPerSecond = setup.recoverPerSecond;
    this.#lowest = setup.minRefillPerSecond;
    this.#highest = setup.refillPerSecond;
    this.#rate = setup.refillPerSecond;
  }

  override setRate(refillPerSecond: number, capacity?: number): void {
    super.setRate(refillPerSecond, capacity);
    this.#highest = refillPerSecond;
    this.#rate = refillPerSecond;
  }

  override observe(
    outcome: Outcome,
    grant: Grant,
    request?: RequestTraits,
    read?: ReadFeedback | false,
  ): Feedback | undefined {
    const said = super.observe(outcome, grant, request, read);
    if (outcome.type === 'response' && grant.grantedAtMs > this.#changedAtMs) {
      if (said?.tooFast ?? outcome.status === 429) this.#decrease();
      else if (outcome.status < 400 && grant.waitedMs > 0) this.#recover();
    }
    return said;
  }

  /** Once for all requests that were sent at the same rate: they report the same overload. */
  #decrease(): void {
    const lowest = Math.min(this.#lowest, this.#highest);
    this.#rate = Math.max(lowest, super.stats().refillPerSecond * this.#decreaseTo);
    this.#changedAtMs = this.time.clock.now();
    super.changeRate(this.#rate);
  }

  /** Only after a request that had to wait: without demand, success at this rate proves nothing. */
  #recover(): void {
    if (this.#rate >= this.#highest) return;
    this.#rate = Math.min(this.#highest, this.#rate + (this.#highest * this.#recoverPerSecond) / this.#rate);
    const grown = this.#rate - super.stats().refillPerSecond;
    if (grown >= this.#highest * STEP || this.#rate === this.#highest) super.changeRate(this.#rate);
  }
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
export function adaptive(options: AdaptiveOptions): MemoryBucket {
  return new AdaptiveBucket(adaptiveSetup(options));
}
