import {
  checkOptions,
  countingNumber,
  flag,
  notNegative,
  positive,
  wholeNumber,
  wrongRange,
} from '../base/check.ts';
import type { Random } from '../base/clock.ts';

/** What a backoff rule is told. */
export interface BackoffStep {
  /** Which retry this is, from 1. */
  readonly retry: number;
  /** What this rule answered for the retry before; `undefined` at the first. */
  readonly previousDelayMs: number | undefined;
  readonly random: Random;
}

/** How long to wait before a retry, in milliseconds; `undefined` gives up. */
export interface BackoffStrategy {
  (step: BackoffStep): number | undefined;
  /**
   * How many retries the rule makes, if it ends by itself. A policy without `maxRetries` takes this number. A
   * function around a rule does not have it unless you copy it.
   * @default none: the policy's own default holds
   */
  readonly maxRetries?: number | undefined;
}

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

/** A rule that gives up after `maxRetries` retries, and has that number as its property. */
function ending(maxRetries: number, delay: (step: BackoffStep) => number): BackoffStrategy {
  const rule = (step: BackoffStep): number | undefined =>
    step.retry <= maxRetries ? delay(step) : undefined;
  return Object.assign(rule, { maxRetries });
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
 * @example
 * ```ts
 * import { createPolicy, memorystore } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: memorystore({ maximumBackoffMs: 32_000 }) });
 * ```
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
 * @example
 * ```ts
 * import { createPolicy, exponential } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: exponential({ baseMs: 100, capMs: 10_000 }) });
 * ```
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
 * @example
 * ```ts
 * import { createPolicy, fullJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: fullJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
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
 * @example
 * ```ts
 * import { createPolicy, equalJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: equalJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
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
 * @example
 * ```ts
 * import { createPolicy, decorrelatedJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: decorrelatedJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
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
 * @example
 * ```ts
 * import { constant, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: constant(500), maxRetries: 3 });
 * ```
 */
export function constant(delayMs: number): BackoffStrategy {
  notNegative('constant: delayMs', delayMs);
  return () => delayMs;
}

/** Options of {@link celery}. */
export interface CeleryOptions {
  /** The first delay, in milliseconds: a whole number of units (Celery's `retry_backoff`, in seconds). */
  readonly factorMs: number;
  /**
   * The largest delay, in milliseconds: a whole number of units (Celery's `retry_backoff_max`, in seconds).
   * @default 600_000
   */
  readonly maximumMs?: number;
  /**
   * Draw a whole number of units from 0 to the delay, both included (Celery's `retry_jitter`).
   * @default true
   */
  readonly fullJitter?: boolean;
  /**
   * The unit that delays are whole numbers of, in milliseconds. Celery's own is a second: 1_000.
   * @default 1
   */
  readonly unitMs?: number;
}

/**
 * min(maximum, factor·2^n); with full jitter a random whole number of units from 0 to that, both included.
 *
 * Source: Celery, `celery.utils.time.get_exponential_backoff_interval`, which counts in seconds.
 * @throws TypeError, RangeError for a wrong option, and for a factor or a maximum that is not a whole number of units
 * @example
 * ```ts
 * import { celery, createPolicy } from '@ebb/core';
 *
 * // Whole seconds, like retry_backoff=2 and retry_backoff_max=60 in Celery.
 * const backoff = celery({ factorMs: 2_000, maximumMs: 60_000, unitMs: 1_000 });
 * const policy = createPolicy({ backoff });
 * ```
 */
export function celery(options: CeleryOptions): BackoffStrategy {
  checkOptions('celery', options, {
    factorMs: wholeNumber,
    maximumMs: notNegative,
    fullJitter: flag,
    unitMs: countingNumber,
  });
  const { factorMs, maximumMs = 600_000, fullJitter = true, unitMs = 1 } = options;
  wholeNumber('celery: factorMs', factorMs);
  wholeUnits('celery: factorMs', factorMs, unitMs);
  wholeUnits('celery: maximumMs', maximumMs, unitMs);
  return ({ retry, random }) => {
    const delayMs = Math.min(maximumMs, factorMs * 2 ** Math.min(retry - 1, LARGEST_EXPONENT));
    // For large numbers the division may round up.
    return fullJitter ? Math.min(delayMs, unitMs * wholeUpTo(delayMs / unitMs, random)) : delayMs;
  };
}

/** Celery's `randrange` takes only whole numbers, and rounding here would change the limits. */
function wholeUnits(name: string, valueMs: number, unitMs: number): void {
  if (valueMs % unitMs !== 0) throw wrongRange(name, `a multiple of the unit, ${unitMs} ms`, valueMs);
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
 * slots on average; gives up at the attempt limit, which is also that of a policy without `maxRetries`.
 *
 * Source: IEEE 802.3, truncated binary exponential backoff (Ethernet).
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { binaryExponential, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: binaryExponential({ slotMs: 50, attemptLimit: 8 }) });
 * console.log(policy.maxRetries); // 7
 * ```
 */
export function binaryExponential(options: BinaryExponentialOptions): BackoffStrategy {
  checkOptions('binaryExponential', options, {
    slotMs: positive,
    maxExponent: countingNumber,
    attemptLimit: countingNumber,
  });
  const { slotMs, maxExponent = 10, attemptLimit = 16 } = options;
  positive('binaryExponential: slotMs', slotMs);
  return ending(attemptLimit - 1, ({ retry: collisions, random }) =>
    finite(slotMs * wholeUpTo(2 ** Math.min(collisions, maxExponent, LARGEST_EXPONENT) - 1, random)),
  );
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
 * 1 s, 2 s, 4 s … while that is at most half of the maximum; then gives up: with 128 s eight attempts, which is
 * also the limit of a policy without `maxRetries`.
 *
 * Source: Stevens and Rago, "Advanced Programming in the UNIX Environment", 3rd edition, §16.4.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { connectRetry, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: connectRetry({ maxSleepMs: 32_000 }) });
 * console.log(policy.maxRetries); // 5: after 1, 2, 4, 8 and 16 s
 * ```
 */
export function connectRetry(options: ConnectRetryOptions = {}): BackoffStrategy {
  checkOptions('connectRetry', options, { maxSleepMs: notNegative });
  const { maxSleepMs = 128_000 } = options;
  const delayBefore = (retry: number): number => 1_000 * 2 ** (retry - 1);
  let sleeps = 0;
  while (delayBefore(sleeps + 1) <= maxSleepMs / 2) sleeps += 1;
  return ending(sleeps, ({ retry }) => delayBefore(retry));
}
