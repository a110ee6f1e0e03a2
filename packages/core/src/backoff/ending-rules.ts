import { countingNumber, flag, notNegative, positive, wholeNumber, wrongRange } from '../base/check.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import { finite, LARGEST_EXPONENT, wholeUpTo, withMaxRetries } from './curves.ts';
import type { BackoffStrategy } from './strategy.ts';

/** Options of {@link celery}. */
export interface CeleryOptions {
  /** The first delay, in milliseconds, a multiple of the unit. Celery's `retry_backoff`, which is in seconds. */
  readonly factorMs: number;
  /**
   * The largest delay, in milliseconds, a multiple of the unit. Celery's `retry_backoff_max`, which is in seconds.
   * @default 600_000
   */
  readonly maximumMs?: number | undefined;
  /**
   * Draws a whole number of units from 0 to the delay, both included. Celery's `retry_jitter`.
   * @default true
   */
  readonly fullJitter?: boolean | undefined;
  /**
   * The unit of delays, in milliseconds. Celery counts in seconds: 1_000.
   * @default 1
   */
  readonly unitMs?: number | undefined;
}

const CELERY_OPTIONS: OptionTable<CeleryOptions> = {
  factorMs: { check: wholeNumber, required: true },
  maximumMs: { check: notNegative, default: 600_000 },
  fullJitter: { check: flag, default: true },
  unitMs: { check: countingNumber, default: 1 },
};

/**
 * min(maximum, factor·2^n), with n from 0 at the first retry; with full jitter a random whole number of units from 0 to
 * that, both included.
 *
 * Source: Celery, `celery.utils.time.get_exponential_backoff_interval`.
 * @throws TypeError, RangeError for a wrong option, and for a factor or a maximum that is no multiple of the unit
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
  const { factorMs, maximumMs, fullJitter, unitMs } = readOptions('celery', options, CELERY_OPTIONS);
  checkUnits('celery: factorMs', factorMs, unitMs);
  checkUnits('celery: maximumMs', maximumMs, unitMs);
  return ({ retry, random }) => {
    const delayMs = Math.min(maximumMs, factorMs * 2 ** Math.min(retry - 1, LARGEST_EXPONENT));
    // For large numbers the division may round up.
    return fullJitter ? Math.min(delayMs, unitMs * wholeUpTo(delayMs / unitMs, random)) : delayMs;
  };
}

/** Celery draws with `randrange`, which takes whole numbers only. Rounding would change the limits. */
function checkUnits(name: string, valueMs: number, unitMs: number): void {
  if (valueMs % unitMs !== 0) throw wrongRange(name, `a multiple of the unit, ${unitMs} ms`, valueMs);
}

/** Options of {@link binaryExponential}. */
export interface BinaryExponentialOptions {
  /** The length of a slot, in milliseconds. */
  readonly slotMs: number;
  /**
   * The number of collisions after which the range stops growing.
   * @default 10
   */
  readonly maxExponent?: number | undefined;
  /**
   * The most attempts, the first included.
   * @default 16
   */
  readonly attemptLimit?: number | undefined;
}

const BINARY_OPTIONS: OptionTable<BinaryExponentialOptions> = {
  slotMs: { check: positive, required: true },
  maxExponent: { check: countingNumber, default: 10 },
  attemptLimit: { check: countingNumber, default: 16 },
};

/**
 * After c collisions a whole number of slots, uniform over 0 … 2^min(c, maxExponent) − 1: (2^c − 1) / 2 slots on average.
 * Gives up at the attempt limit, which is also the default of the policy's `maxRetries`, plus one.
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
  const { slotMs, maxExponent, attemptLimit } = readOptions('binaryExponential', options, BINARY_OPTIONS);
  return withMaxRetries(attemptLimit - 1, ({ retry: collisions, random }) =>
    finite(slotMs * wholeUpTo(2 ** Math.min(collisions, maxExponent, LARGEST_EXPONENT) - 1, random)),
  );
}

/** Options of {@link connectRetry}. */
export interface ConnectRetryOptions {
  /**
   * Twice the longest delay, in milliseconds.
   * @default 128_000
   */
  readonly maxSleepMs?: number | undefined;
}

const CONNECT_OPTIONS: OptionTable<ConnectRetryOptions> = {
  maxSleepMs: { check: notNegative, default: 128_000 },
};

/**
 * 1, 2, 4 … s while that is at most half of the maximum, then gives up. With 128 s that is eight attempts, and the
 * policy's `maxRetries` is 7 by default.
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
  const { maxSleepMs } = readOptions('connectRetry', options, CONNECT_OPTIONS);
  const delayBefore = (retry: number): number => 1_000 * 2 ** (retry - 1);
  let sleeps = 0;
  while (delayBefore(sleeps + 1) <= maxSleepMs / 2) sleeps += 1;
  return withMaxRetries(sleeps, ({ retry }) => delayBefore(retry));
}
