import { devText, devTextOf, inDevelopment } from '#dev-text';
import {
  type Check,
  capacity,
  nameOf,
  notNegative,
  number,
  oneOf,
  refillRate,
  wrongRange,
} from '../../base/check.ts';
import { CLOCK_OPTION, RANDOM_OPTION } from '../../base/clock.ts';
import { type Complete, must, type OptionTable, readOptions } from '../../base/options.ts';
import type { Clock, Random } from '../../base/time.ts';
import { checkFeedback, isAboutLoad, plainFeedback } from '../../http/feedback.ts';
import type { ReadFeedback } from '../../http/outcome.ts';
import { WAITING_OPTIONS, type WaitingOptions } from '../../queue/options.ts';
import type { Quota } from './gcra.ts';

/** The treatment of a request whose tokens are not available: queue it, refuse it, or send it with a mark. */
export type NonConforming = 'delay' | 'reject' | 'mark';

/** The scope of a server's pause: its own origin, or every request of the bucket. */
type FeedbackScope = 'origin' | 'bucket';

/** Options of every bucket, whatever its tokens come from. */
export interface WaitingBucketOptions extends WaitingOptions {
  /**
   * The treatment of a request whose tokens are not available: it waits, fails with a `NotSentError`, or is sent and reported
   * with a `mark` event.
   * @default 'delay'
   */
  readonly nonConforming?: NonConforming | undefined;
  /**
   * Reads from a response for how long the server wants no requests; the bucket then pauses. `serverFeedback`, the default of
   * `quotaBucket`, `adaptive` and buckets of @ebb/valkey, reads the fields of quotas as well. `false` ignores responses. A function of your own is given every outcome.
   *
   * The `remaining` of a response lowers a bucket of one unit after a refusal alone, for `maxPauseMs`. Without a refusal the
   * count of the bucket is right, and the field may be about a window that ends soon, or about another quota.
   * @default `Retry-After` and `retry-after-ms` alone
   */
  readonly feedback?: ReadFeedback | false | undefined;
  /**
   * The scope of a pause that a response asks for. `'origin'`: requests to the origin of the response; requests to other origins
   * go on with the shared tokens. `'bucket'`: all requests, for a quota that several hosts share.
   * @default 'origin'
   */
  readonly feedbackScope?: FeedbackScope | undefined;
  /**
   * The longest pause that a response can cause, in milliseconds.
   * @default 600_000
   */
  readonly maxPauseMs?: number | undefined;
  /** @default that of the system. A policy must have the same */
  readonly clock?: Clock | undefined;
  /** @default Math.random */
  readonly random?: Random | undefined;
}

/** `Retry-After` and `retry-after-ms`, of a response that is about load. A success says nothing. */
export const retryAfter: ReadFeedback = (outcome, nowMs, cost) => {
  const said = plainFeedback(outcome, nowMs, cost);
  if (said === undefined || outcome.type !== 'response') return said;
  const { status, advice } = outcome;
  const isLoad = advice?.verdict !== 'final' && (advice?.verdict === 'refused' || isAboutLoad(status));
  return isLoad ? { ...said, pauseMs: said.waitMs ?? 0, tooFast: status === 429 } : said;
};

/** Validated options with all defaults applied. */
export type WaitingBucketSetup = Complete<WaitingBucketOptions>;

/** How the options of every bucket are read. */
export const WAITING_BUCKET_OPTIONS: OptionTable<WaitingBucketOptions> = {
  ...WAITING_OPTIONS,
  nonConforming: { check: oneOf('delay', 'reject', 'mark'), default: 'delay' },
  feedback: { check: checkFeedback, default: retryAfter },
  feedbackScope: { check: oneOf('origin', 'bucket'), default: 'origin' },
  maxPauseMs: { check: notNegative, default: 600_000 },
  clock: CLOCK_OPTION,
  random: RANDOM_OPTION,
};

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions extends WaitingBucketOptions {
  /** Tokens per second, from 1e-9 to 1e9. */
  readonly refillPerSecond: number;
  /**
   * The most tokens that can accumulate, and thus the largest burst: from 1e-9 to 1e9. Tokens that arrive at a full
   * bucket are lost, so choose enough to outlast a stall of the event loop. Source of the default: App Engine, `queue.yaml`, which recommends a fifth of the rate.
   * @default a fifth of `refillPerSecond`, rounded up
   */
  readonly capacity?: number | undefined;
  /**
   * The time from one step of the refill to the next, in milliseconds, to match a service with such steps: 0.001 to 1e11. 0
   * refills continuously. A step never adds more than the capacity.
   * @default 0
   */
  readonly refillIntervalMs?: number | undefined;
  /**
   * Tokens at the start, at most the capacity. A fleet that starts with full buckets sends all of them at once.
   * @default capacity
   */
  readonly initialTokens?: number | undefined;
}

/** Validated options with all defaults applied. */
export type BucketSetup = Complete<TokenBucketOptions>;

/** The capacity of a bucket without one: a fifth of a second of refill, at least one token. */
export function defaultCapacity({ refillPerSecond }: { readonly refillPerSecond: number }): number {
  return Math.max(1, Math.ceil(refillPerSecond / 5));
}

/** @throws TypeError, RangeError for a rate or a capacity that is out of bounds */
export function checkRate(caller: string, rate: Quota): void {
  refillRate(nameOf(caller, 'refillPerSecond'), rate.refillPerSecond);
  capacity(nameOf(caller, 'capacity'), rate.capacity);
}

const checkInterval: Check = /* @__PURE__ */ number(
  devText('0, or a number from 0.001 to 1e11'),
  (value) => value === 0 || (value >= 1e-3 && value <= 1e11),
);

/** How the options of a token bucket are read. */
export const BUCKET_OPTIONS: OptionTable<TokenBucketOptions> = {
  refillPerSecond: { check: refillRate, required: true },
  capacity: { check: capacity, defaultOf: defaultCapacity },
  refillIntervalMs: { check: checkInterval, default: 0 },
  initialTokens: { check: notNegative, defaultOf: (options) => options.capacity },
  ...WAITING_BUCKET_OPTIONS,
};

/** @throws TypeError for an option that is one of the limits of a `quotaBucket` */
export function mustChargeOnGrant(caller: string, options: object): void {
  const { chargeOn } = Object(options) as { readonly chargeOn?: unknown };
  inDevelopment(() =>
    must(
      nameOf(caller, 'chargeOn'),
      'left out: a limit of `quotaBucket` takes it, also as the only one',
      chargeOn,
      chargeOn === undefined,
    ),
  );
}

/** @throws RangeError if options that are valid by themselves contradict each other */
export function checkedTogether<S extends Quota & { readonly initialTokens: number }>(
  caller: string,
  setup: S,
): S {
  const { capacity, initialTokens } = setup;
  if (initialTokens > capacity) {
    throw wrongRange(
      nameOf(caller, 'initialTokens'),
      devTextOf(() => `at most the capacity, ${capacity}`),
      initialTokens,
    );
  }
  return setup;
}

/**
 * Validates the options of a token bucket, and applies the defaults.
 *
 * @param caller the name of the function in error messages
 * @throws TypeError, RangeError for a wrong option
 */
export function bucketSetup(options: TokenBucketOptions, caller = 'tokenBucket'): BucketSetup {
  mustChargeOnGrant(caller, options);
  return checkedTogether(caller, readOptions(caller, options, BUCKET_OPTIONS));
}
