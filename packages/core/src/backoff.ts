import { checkOptions, countingNumber, flag, notNegative, positive, wholeNumber } from './check.ts';
import type { Random } from './clock.ts';

/** What a backoff rule is told. */
export interface BackoffStep {
  /** Which retry this is, from 1. */
  readonly retry: number;
  /** What this rule answered for the retry before; `undefined` at the first. */
  readonly previousDelayMs: number | undefined;
  readonly random: Random;
}

/** How long to wait before a retry, in milliseconds; `undefined` gives up. */
export type BackoffStrategy = (step: BackoffStep) => number | undefined;

/** The curve that the jitter rules share: base·2^n, at most cap. */
export interface Curve {
  /** The first delay, in milliseconds. */
  readonly baseMs: number;
  /** The largest delay, in milliseconds. */
  readonly capMs: number;
}

function ceilingOf({ baseMs, capMs }: Curve, retry: number): number {
  return Math.min(capMs, baseMs * 2 ** (retry - 1));
}

/** A whole number from 0 to `most`, both included. */
function wholeUpTo(most: number, random: Random): number {
  return Math.min(most, Math.floor(random() * (most + 1)));
}

/** 2 to the power of 1,024 is no number any more, and a random 0 times infinity is none either. */
const LARGEST_EXPONENT = 1_023;

/** A product of finite numbers may be beyond all numbers. */
function finite(product: number): number {
  return Math.min(product, Number.MAX_VALUE);
}

function checkCurve(caller: string, curve: Curve): Curve {
  checkOptions(caller, curve, { baseMs: positive, capMs: notNegative });
  positive(`${caller}: baseMs`, curve.baseMs);
  notNegative(`${caller}: capMs`, curve.capMs);
  return { baseMs: curve.baseMs, capMs: curve.capMs };
}

/** Options of {@link memorystore}. */
export interface MemorystoreOptions {
  /**
   * The largest delay, jitter included, in milliseconds; the source names 32 or 64 seconds.
   * @default 64_000
   */
  readonly maximumBackoffMs?: number;
  /**
   * The most that is added at random, in whole milliseconds.
   * @default 1_000
   */
  readonly jitterMs?: number;
}

/**
 * min(2^n seconds + a fresh random 0…1000 ms, maximum backoff): 1, 2, 4 … s, and at the cap it goes on at the
 * cap.
 *
 * Source: Google Cloud, Memorystore for Valkey, "Exponential backoff".
 * @throws TypeError, RangeError for a wrong option
 */
export function memorystore(options: MemorystoreOptions = {}): BackoffStrategy {
  checkOptions('memorystore', options, { maximumBackoffMs: notNegative, jitterMs: wholeNumber });
  const { maximumBackoffMs = 64_000, jitterMs = 1_000 } = options;
  return ({ retry, random }) =>
    Math.min(2 ** (retry - 1) * 1_000 + wholeUpTo(jitterMs, random), maximumBackoffMs);
}

/**
 * min(cap, base·2^n), without jitter.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 */
export function exponential(curve: Curve): BackoffStrategy {
  const checked = checkCurve('exponential', curve);
  return ({ retry }) => ceilingOf(checked, retry);
}

/**
 * Random between 0 and min(cap, base·2^n).
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 */
export function fullJitter(curve: Curve): BackoffStrategy {
  const checked = checkCurve('fullJitter', curve);
  return ({ retry, random }) => random() * ceilingOf(checked, retry);
}

/**
 * Half of min(cap, base·2^n), plus random up to the other half.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 */
export function equalJitter(curve: Curve): BackoffStrategy {
  const checked = checkCurve('equalJitter', curve);
  return ({ retry, random }) => (ceilingOf(checked, retry) / 2) * (1 + random());
}

/**
 * min(cap, random between base and three times the delay before), the delay before the first being base.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 */
export function decorrelatedJitter(curve: Curve): BackoffStrategy {
  const { baseMs, capMs } = checkCurve('decorrelatedJitter', curve);
  return ({ previousDelayMs = baseMs, random }) =>
    Math.min(capMs, baseMs + random() * (finite(3 * previousDelayMs) - baseMs));
}

/**
 * The same delay each time, in milliseconds. `constant(0)` is the "no backoff" that the comparison in
 * "Exponential Backoff And Jitter" starts from.
 * @throws TypeError, RangeError for a wrong delay
 */
export function constant(delayMs: number): BackoffStrategy {
  notNegative('constant: delayMs', delayMs);
  return () => delayMs;
}

/** Options of {@link celery}. */
export interface CeleryOptions {
  /** The first delay, in milliseconds (Celery's `retry_backoff`, which counts seconds). */
  readonly factorMs: number;
  /**
   * The largest delay, in milliseconds (Celery's `retry_backoff_max`).
   * @default 600_000
   */
  readonly maximumMs?: number;
  /**
   * Draw a whole number of milliseconds from 0 to the delay, both included (Celery's `retry_jitter`).
   * @default true
   */
  readonly fullJitter?: boolean;
}

/**
 * factor·2^n; with full jitter a random whole number from 0 to it; at most the maximum, which is applied last.
 *
 * Source: Celery, `celery.utils.time.get_exponential_backoff_interval`.
 * @throws TypeError, RangeError for a wrong option
 */
export function celery(options: CeleryOptions): BackoffStrategy {
  checkOptions('celery', options, { factorMs: wholeNumber, maximumMs: notNegative, fullJitter: flag });
  const { factorMs, maximumMs = 600_000, fullJitter = true } = options;
  wholeNumber('celery: factorMs', factorMs);
  return ({ retry, random }) => {
    const delayMs = finite(factorMs * 2 ** Math.min(retry - 1, LARGEST_EXPONENT));
    return Math.min(maximumMs, fullJitter ? wholeUpTo(delayMs, random) : delayMs);
  };
}

/** Options of {@link binaryExponential}. */
export interface BinaryExponentialOptions {
  /** The length of a slot, in milliseconds. */
  readonly slotMs: number;
  /**
   * The collision after which the range grows no more.
   * @default 10
   */
  readonly maxExponent?: number;
  /**
   * How many attempts there are at most, the first included.
   * @default 16
   */
  readonly attemptLimit?: number;
}

/**
 * After c collisions a whole number of slots, uniform over 0 … 2^min(c, maxExponent) − 1, so (2^c − 1) / 2
 * slots on average; gives up at the attempt limit.
 *
 * Source: IEEE 802.3, truncated binary exponential backoff (Ethernet).
 * @throws TypeError, RangeError for a wrong option
 */
export function binaryExponential(options: BinaryExponentialOptions): BackoffStrategy {
  checkOptions('binaryExponential', options, {
    slotMs: positive,
    maxExponent: countingNumber,
    attemptLimit: countingNumber,
  });
  const { slotMs, maxExponent = 10, attemptLimit = 16 } = options;
  positive('binaryExponential: slotMs', slotMs);
  return ({ retry: collisions, random }) =>
    collisions < attemptLimit
      ? finite(slotMs * wholeUpTo(2 ** Math.min(collisions, maxExponent, LARGEST_EXPONENT) - 1, random))
      : undefined;
}

/** Options of {@link connectRetry}. */
export interface ConnectRetryOptions {
  /**
   * Sleeps of up to half of this happen, in milliseconds.
   * @default 128_000
   */
  readonly maxSleepMs?: number;
}

/**
 * 1 s, 2 s, 4 s … while that is at most half of the maximum; then gives up.
 *
 * Source: Stevens and Rago, "Advanced Programming in the UNIX Environment", 3rd edition, §16.4.
 * @throws TypeError, RangeError for a wrong option
 */
export function connectRetry(options: ConnectRetryOptions = {}): BackoffStrategy {
  checkOptions('connectRetry', options, { maxSleepMs: notNegative });
  const { maxSleepMs = 128_000 } = options;
  return ({ retry }) => {
    const delayMs = 1_000 * 2 ** (retry - 1);
    return delayMs <= maxSleepMs / 2 ? delayMs : undefined;
  };
}
