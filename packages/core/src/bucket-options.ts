import {
  type Check,
  checkOptions,
  having,
  notNegative,
  oneOf,
  positive,
  wholeNumber,
  wrongRange,
  wrongType,
} from './check.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Rate } from './level.ts';

/** What becomes of a request when the tokens are not there: it waits, is refused, or is sent with a mark. */
export type NonConforming = 'delay' | 'reject' | 'mark';

/** Who makes place when too many wait: nobody, the one who waited longest, or the last of a lower priority. */
export type Overflow = 'reject' | 'drop-oldest' | 'drop-lowest';

/** A limit that holds beside a bucket's own. */
export interface FurtherLimit {
  readonly refillPerSecond: number;
  /** The most tokens at once. */
  readonly capacity: number;
}

/** What {@link tokenBucket} takes. */
export interface TokenBucketOptions {
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
   * How many may wait.
   * @default no limit
   */
  readonly maxQueue?: number | undefined;
  /**
   * Who makes place when too many wait.
   * @default 'reject'
   */
  readonly overflow?: Overflow | undefined;
  /**
   * The longest wait, in milliseconds. Whoever would wait longer is refused at once.
   * @default no limit
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * How much waiting outweighs a step of priority, in milliseconds, so that low priorities go late, but go. A
   * retry counts as half a step.
   * @default 60_000
   */
  readonly agingMs?: number | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/** The options with every default in its place. */
export interface BucketSetup extends Rate {
  readonly refillIntervalMs: number;
  readonly initialTokens: number;
  readonly furtherLimits: readonly Rate[];
  readonly nonConforming: NonConforming;
  readonly maxQueue: number;
  readonly overflow: Overflow;
  readonly maxWaitMs: number;
  readonly agingMs: number;
  readonly clock: Clock;
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

const CHECKS: Readonly<Record<keyof TokenBucketOptions, Check>> = {
  refillPerSecond: positive,
  capacity: positive,
  refillIntervalMs: notNegative,
  initialTokens: notNegative,
  furtherLimits: checkLimits,
  nonConforming: oneOf('delay', 'reject', 'mark'),
  maxQueue: wholeNumber,
  overflow: oneOf('reject', 'drop-oldest', 'drop-lowest'),
  maxWaitMs: notNegative,
  agingMs: positive,
  clock: having('a clock', 'now', 'schedule'),
};

/** @throws TypeError, RangeError for a wrong option */
export function bucketSetup(options: TokenBucketOptions): BucketSetup {
  checkOptions('tokenBucket', options, CHECKS);
  const { refillPerSecond } = options;
  positive('tokenBucket: refillPerSecond', refillPerSecond);
  const { capacity = Math.max(1, Math.ceil(refillPerSecond / 5)) } = options;
  const { initialTokens = capacity } = options;
  if (initialTokens > capacity) {
    throw wrongRange('tokenBucket: initialTokens', `at most the capacity, ${capacity}`, initialTokens);
  }
  const {
    refillIntervalMs = 0,
    furtherLimits = [],
    nonConforming = 'delay',
    maxQueue = Number.POSITIVE_INFINITY,
    overflow = 'reject',
    maxWaitMs = Number.POSITIVE_INFINITY,
    agingMs = 60_000,
    clock = systemClock,
  } = options;
  return {
    refillPerSecond,
    capacity,
    refillIntervalMs,
    initialTokens,
    furtherLimits: furtherLimits.map(({ refillPerSecond, capacity }) => ({ refillPerSecond, capacity })),
    nonConforming,
    maxQueue,
    overflow,
    maxWaitMs,
    agingMs,
    clock,
  };
}
