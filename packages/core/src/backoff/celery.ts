import { countingNumber, flag, notNegative, wholeNumber, wrongRange } from '../base/check.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import { type BackoffStrategy, LARGEST_EXPONENT, wholeUpTo } from './strategy.ts';

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
