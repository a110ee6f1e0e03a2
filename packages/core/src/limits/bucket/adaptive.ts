import { refillRate, wrongRange } from '../../base/check.ts';
import { type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import type { Feedback, Outcome, ReadFeedback, RequestTraits } from '../../http/outcome.ts';
import { FIELDS_OPTION } from '../../http/server-feedback.ts';
import type { AcquireOptions, Costs, Grant } from '../../policy/contracts.ts';
import {
  type AdaptiveRate,
  afterRefusal,
  afterSuccess,
  beforeFirst,
  firstRate,
  type RateBounds,
} from './adaptive-rate.ts';
import type { Quota } from './gcra.ts';
import {
  BUCKET_OPTIONS,
  checkedTogether,
  checkRate,
  mustChargeOnGrant,
  type TokenBucketOptions,
} from './options.ts';
import { Bucket, type MemoryBucket } from './token-bucket.ts';

/** Options of {@link adaptive}: those of a token bucket, with the highest rate as `refillPerSecond`. */
export interface AdaptiveOptions extends TokenBucketOptions {
  /**
   * The lowest rate, in tokens per second, with the bounds of `refillPerSecond`.
   * @default a ten-thousandth of the highest
   */
  readonly minRefillPerSecond?: number | undefined;
  /**
   * Tokens at the start, at most the capacity. With many, a fleet that starts exceeds a quota before it can learn of it.
   * @default the share of the capacity that the first rate is of the highest, at least 1
   */
  readonly initialTokens?: number | undefined;
}

function firstTokens({
  capacity,
  refillPerSecond: highest,
  minRefillPerSecond: lowest = 0,
}: AdaptiveOptions & Quota): number {
  return Math.min(capacity, Math.max(1, (capacity * firstRate({ lowest, highest }).rate) / highest));
}

const ADAPTIVE_OPTIONS: OptionTable<AdaptiveOptions> = {
  ...BUCKET_OPTIONS,
  feedback: FIELDS_OPTION,
  initialTokens: { ...BUCKET_OPTIONS.initialTokens, defaultOf: firstTokens },
  minRefillPerSecond: { check: refillRate, defaultOf: ({ refillPerSecond }) => refillPerSecond / 10_000 },
};

/** @throws TypeError, RangeError for a wrong option */
function adaptiveSetup(options: AdaptiveOptions): Complete<AdaptiveOptions> {
  mustChargeOnGrant('adaptive', options);
  const setup = checkedTogether('adaptive', readOptions('adaptive', options, ADAPTIVE_OPTIONS));
  const { refillPerSecond, minRefillPerSecond: lowest } = setup;
  if (lowest > refillPerSecond) {
    throw wrongRange('adaptive: minRefillPerSecond', `at most ${refillPerSecond}`, lowest);
  }
  return setup;
}

/** The rate is applied when it has grown by this share of itself, because each change has a cost. */
const STEP = 0.01;

class AdaptiveBucket extends Bucket {
  #bounds: RateBounds;
  #state: AdaptiveRate;

  constructor(setup: Complete<AdaptiveOptions>) {
    super(setup);
    this.#bounds = { lowest: setup.minRefillPerSecond, highest: setup.refillPerSecond };
    this.#state = firstRate(this.#bounds);
    this.source.setRate({ refillPerSecond: this.#state.rate, capacity: setup.capacity }, 0, false);
  }

  /** The highest rate. The rate in use may be lower for a while, but this bucket itself limits the origins. */
  protected override get wantedRate(): number {
    return this.#bounds.highest;
  }

  override tryAcquire(cost: number | Costs = 1, earlier?: Grant, request?: RequestTraits): Grant | undefined {
    this.#expect(cost);
    return super.tryAcquire(cost, earlier, request);
  }

  override acquire(options: AcquireOptions = {}): Promise<Grant> {
    this.#expect(options.cost ?? 1);
    return super.acquire(options);
  }

  #expect(cost: number | Costs): void {
    this.#adapt(beforeFirst(this.#state, this.#bounds, Math.min(cost as number, this.source.capacity)));
  }

  /** Sets the highest rate. The one that was found stays if it is lower. */
  override setRate(refillPerSecond: number, capacity: number = this.source.capacity): void {
    checkRate('setRate', { refillPerSecond, capacity });
    this.#bounds = { ...this.#bounds, highest: refillPerSecond };
    super.setRate(refillPerSecond, capacity);
    this.#state = { ...this.#state, rate: Math.min(this.#state.rate, refillPerSecond) };
    this.#applyRate(this.#state.rate);
  }

  override observe(
    outcome: Outcome,
    grant: Grant,
    request?: RequestTraits,
    read?: ReadFeedback | false,
  ): Feedback | undefined {
    const said = super.observe(outcome, grant, request, read);
    if (outcome.type !== 'response') return said;
    const { grantedAtMs, waitedMs } = grant;
    const cost = grant.cost as number;
    const { rate, roundAtMs } = this.#state;
    const isRefused = said?.tooFast ?? outcome.status === 429;
    // A server reports a used-up quota before it refuses, as a router marks packets before it drops any (RFC 3168).
    const isUsedUp = said?.remaining !== undefined && said.remaining < cost;
    if (isRefused || isUsedUp) {
      const nowMs = this.time.clock.now();
      this.#adapt(afterRefusal(this.#state, this.#bounds, cost, grantedAtMs, nowMs));
      if (isRefused && this.#state.rate < rate && this.#state.roundAtMs > roundAtMs) this.#empty();
    } else if (outcome.status < 400 && waitedMs > 0) {
      this.#adapt(afterSuccess(this.#state, this.#bounds, cost, grantedAtMs));
    }
    return said;
  }

  /** Drops the tokens saved up at a rate that was refused. */
  #empty(): void {
    const nowMs = this.time.now();
    this.source.spend(Math.max(0, this.source.tokens(nowMs)), nowMs);
  }

  #adapt(state: AdaptiveRate): void {
    if (state === this.#state) return;
    this.#state = state;
    const { rate } = state;
    const applied = this.source.refillPerSecond;
    const isFar = rate < applied || rate >= applied * (1 + STEP) || rate === this.#bounds.highest;
    if (isFar && rate !== applied) this.#applyRate(rate);
  }

  #applyRate(refillPerSecond: number): void {
    const { capacity } = this.source;
    this.source.setRate({ refillPerSecond, capacity }, this.time.now(), false);
    this.serve();
  }
}

/**
 * A token bucket that finds the rate accepted by a server, up to `refillPerSecond`. The rate starts at a five-hundredth of
 * `refillPerSecond`, or one request per second, and doubles each second until the first refusal. From then on successful requests
 * that had to wait raise the rate by a few percent per second, and refusals lower it: the refusals of one round by half at most.
 * A report of a used-up quota counts as a refusal.
 *
 * A hundred clients that each know the whole quota find equal shares of it, without a setting, if each could have five requests
 * per second.
 *
 * Sources: slow start and multiplicative decrease (RFC 5681 §3.1), growth in proportion to what is sent (Kelly, *Scalable TCP*, 2003),
 * growth that quickens (RFC 9438), growth only under load (RFC 7661).
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { adaptive, createPolicy } from '@ebb/core';
 *
 * // At most 100 requests per second.
 * const bucket = adaptive({ refillPerSecond: 100 });
 * const policy = createPolicy({ bucket });
 * ```
 */
export function adaptive(options: AdaptiveOptions): MemoryBucket {
  return new AdaptiveBucket(adaptiveSetup(options));
}
