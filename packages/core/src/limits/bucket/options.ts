import {
  type Check,
  callable,
  capacity,
  checkOptions,
  having,
  nameOf,
  notNegative,
  oneOf,
  refillRate,
  wrongRange,
  wrongType,
} from '../../base/check.ts';
import { type Clock, type Random, systemClock, systemRandom } from '../../base/clock.ts';
import { type ReadFeedback, serverFeedback } from '../../http/server-feedback.ts';
import {
  WAITING_CHECKS,
  type WaitingOptions,
  type WaitingSetup,
  waitingSetup,
} from '../queue/waiting-room.ts';
import type { Rate } from './quota-state.ts';

/** What becomes of a request when the tokens are not there: it waits, is refused, or is sent with a mark. */
export type NonConforming = 'delay' | 'reject' | 'mark';

/** What a server's word holds for: its own origin, or every request that shares the tokens. */
export type FeedbackScope = 'origin' | 'bucket';

/** A limit that holds beside a bucket's own. It has the same bounds. */
export interface FurtherLimit {
  readonly refillPerSecond: number;
  /** The most tokens at once. */
  readonly capacity: number;
}

/** What {@link tokenBucket} takes. */
export interface TokenBucketOptions extends WaitingOptions {
  /** Tokens that come in each second: above 0, at most 1e9, which is one each nanosecond. */
  readonly refillPerSecond: number;
  /**
   * The most tokens that gather, and so can go at once: above 0, at most 1e9, and no more than comes in within 1e12
   * seconds. Tokens that come in while it is full are lost, so it should outlast a stall of the program. The default
   * is what App Engine's users are told to choose.
   * @default a fifth of a second of refill, at least 1
   */
  readonly capacity?: number | undefined;
  /**
   * Tokens come in steps, every so many milliseconds, as in services that refill so; 0: all the time. At least
   * 0.001, since no timer is shorter, and at most 1e11, three years. A step that brings more than the capacity fills
   * the bucket, and the rest is lost.
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

/** In longer times, milliseconds are not exact. It is thirty thousand years. */
const LONGEST_FILL_SECONDS = 1e12;

/**
 * @param name of the option that is the rate
 * @throws RangeError when it takes too long to fill the capacity
 */
export function checkFill(name: string, { refillPerSecond, capacity }: Rate): void {
  const least = capacity / LONGEST_FILL_SECONDS;
  if (refillPerSecond >= least) return;
  const takes = `at least ${least}, so that the capacity, ${capacity}, fills in ${LONGEST_FILL_SECONDS} seconds`;
  throw wrongRange(name, takes, refillPerSecond);
}

/** @throws TypeError, RangeError for a rate or a capacity that is out of bounds */
export function checkRate(caller: string, rate: Rate): void {
  refillRate(nameOf(caller, 'refillPerSecond'), rate.refillPerSecond);
  capacity(nameOf(caller, 'capacity'), rate.capacity);
  checkFill(nameOf(caller, 'refillPerSecond'), rate);
}

const checkInterval: Check = (name, value) => {
  notNegative(name, value);
  if (value === 0 || ((value as number) >= 1e-3 && (value as number) <= 1e11)) return;
  throw wrongRange(name, '0, or a number from 0.001 to 1e11', value);
};

const checkLimits: Check = (name, value) => {
  if (!Array.isArray(value)) throw wrongType(name, 'a list of limits', value);
  value.forEach((limit, index) => {
    const caller = `${name}[${index}]`;
    checkOptions(caller, limit, { refillPerSecond: refillRate, capacity });
    checkRate(caller, limit);
  });
};

const checkFeedback: Check = (name, value) => {
  if (value !== false) callable(name, value);
};

const CHECKS: Readonly<Record<keyof TokenBucketOptions, Check>> = {
  refillPerSecond: refillRate,
  capacity,
  refillIntervalMs: checkInterval,
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
  refillRate(`${caller}: refillPerSecond`, refillPerSecond);
  const { capacity = Math.max(1, Math.ceil(refillPerSecond / 5)) } = options;
  checkRate(caller, { refillPerSecond, capacity });
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
