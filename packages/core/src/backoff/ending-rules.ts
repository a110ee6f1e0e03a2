import { countingNumber, notNegative, positive } from '../base/check.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import { type BackoffStrategy, ending, finite, LARGEST_EXPONENT, wholeUpTo } from './strategy.ts';

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
  return ending(attemptLimit - 1, ({ retry: collisions, random }) =>
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
  return ending(sleeps, ({ retry }) => delayBefore(retry));
}
