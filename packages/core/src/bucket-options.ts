import {
  type Check,
  callable,
  checkOptions,
  having,
  notNegative,
  oneOf,
  positive,
  wrongRange,
  wrongType,
} from './check.ts';
import { type Clock, type Random, systemClock, systemRandom } from './clock.ts';
import type { Rate } from './level.ts';
import { type ReadFeedback, serverFeedback } from './server-feedback.ts';
import { WAITING_CHECKS, type WaitingOptions, type WaitingSetup, waitingSetup } from './waiting-room.ts';

/** What becomes of a request when the tokens are not there: it waits, is refused, or is sent with a mark. */
export type NonConforming = 'delay' | 'reject' | 'mark';

/** What a server's word holds for: its own origin, or every request that shares the tokens. */
export type FeedbackScope = 'origin' | 'bucket';

/** A limit that holds beside a bucket's own. */
export interface FurtherLimit {
  readonly refillPerSecond: number;
  /** The most tokens at once. */
  readonly capacity: number;
}

/** What {@link tokenBucket} takes. */
export interface TokenBucketOptions extends WaitingOptions {
  /** Tokens that come in each second. */
  readonly refillPerSecond: number;
  /**
   * The most tokens that gather, and so can go at once. Tokens that come in while it is full are lost, so it
   * should outlast a stall of the program. The default is what App Engine's users are told to choose.
   * @default a fifth of a second of refill, at least 1
   */
  readonly capacity?: number | undefined;
  /**
   * Tokens come in steps, every so many milliseconds, as in services that refill so; 0: all the time.
   * @default 0
   */
  readonly refillIntervalMs?: number | undefined;
  /**
   * Tokens that are there at first. A fleet that starts together with full buckets sends them all at once.
   * @default capacity
   */
  readonly initialTokens?: number | undefined;
  /** Limits that hold as well, such as one per day: tokens are taken from all or from none. */
  readonly furtherLimits?: readonly FurtherLimit[] | undefined;
  /**
   * What becomes of a request when the tokens are not there.
   * @default 'delay'
   */
  readonly nonConforming?: NonConforming | undefined;
  /**
   * Reads from each response how long the server wants to be left alone, and pauses for it. `false` heeds
   * nothing.
   * @default serverFeedback
   */
  readonly feedback?: ReadFeedback | false | undefined;
  /**
   * What a pause holds for that a response asks for: `'origin'`: the origin that asked, while requests to others
   * go on with the tokens that they share; `'bucket'`: all, because the quota behind it is one.
   * @default 'origin'
   */
  readonly feedbackScope?: FeedbackScope | undefined;
  /**
   * The longest pause that a response can cause, in milliseconds; then a request asks again.
   * @default 600_000
   */
  readonly maxPauseMs?: number | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default Math.random */
  readonly random?: Random | undefined;
}

/** The options with every default in its place. */
export interface BucketSetup extends Rate, WaitingSetup {
  readonly refillIntervalMs: number;
  readonly initialTokens: number;
  readonly furtherLimits: readonly Rate[];
  readonly nonConforming: NonConforming;
  readonly feedback: ReadFeedback | false;
  readonly feedbackScope: FeedbackScope;
  readonly maxPauseMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

const checkLimits: Check = (name, value) => {
  if (!Array.isArray(value)) throw wrongType(name, 'a list of limits', value);
  value.forEach((limit, index) => {
    const caller = `${name}[${index}]`;
    checkOptions(caller, limit, { refillPerSecond: positive, capacity: positive });
    positive(`${caller}: refillPerSecond`, limit.refillPerSecond);
    positive(`${caller}: capacity`, limit.capacity);
  });
};

const checkFeedback: Check = (name, value) => {
  if (value !== false) callable(name, value);
};

const CHECKS: Readonly<Record<keyof TokenBucketOptions, Check>> = {
  refillPerSecond: positive,
  capacity: positive,
  refillIntervalMs: notNegative,
  initialTokens: notNegative,
  furtherLimits: checkLimits,
  nonConforming: oneOf('delay', 'reject', 'mark'),
  ...WAITING_CHECKS,
  feedback: checkFeedback,
  feedbackScope: oneOf('origin', 'bucket'),
  maxPauseMs: notNegative,
  clock: having('a clock', 'now', 'schedule'),
  random: callable,
};

/** @throws TypeError, RangeError for a wrong option */
export function bucketSetup(options: TokenBucketOptions, caller = 'tokenBucket'): BucketSetup {
  checkOptions(caller, options, CHECKS);
  const { refillPerSecond } = options;
  positive(`${caller}: refillPerSecond`, refillPerSecond);
  const { capacity = Math.max(1, Math.ceil(refillPerSecond / 5)) } = options;
  const { initialTokens = capacity } = options;
  if (initialTokens > capacity) {
    throw wrongRange(`${caller}: initialTokens`, `at most the capacity, ${capacity}`, initialTokens);
  }
  const {
    refillIntervalMs = 0,
    furtherLimits = [],
    nonConforming = 'delay',
    feedback = serverFeedback,
    feedbackScope = 'origin',
    maxPauseMs = 600_000,
    clock = systemClock,
    random = systemRandom,
  } = options;
  return {
    ...waitingSetup(options),
    refillPerSecond,
    capacity,
    refillIntervalMs,
    initialTokens,
    furtherLimits: furtherLimits.map(({ refillPerSecond, capacity }) => ({ refillPerSecond, capacity })),
    nonConforming,
    feedback,
    feedbackScope,
    maxPauseMs,
    clock,
    random,
  };
}
