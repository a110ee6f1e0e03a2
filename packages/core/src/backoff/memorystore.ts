import { notNegative, wholeNumber } from '../base/check.ts';
import { type Complete, type OptionTable, readOptions } from '../base/options.ts';
import { type BackoffStrategy, wholeUpTo } from './strategy.ts';

/** Options of {@link memorystore}. */
export interface MemorystoreOptions {
  /**
   * The largest delay, jitter included, in milliseconds. The source names 32 and 64 seconds.
   * @default 64_000
   */
  readonly maximumBackoffMs?: number | undefined;
  /**
   * The largest jitter, in whole milliseconds.
   * @default 1_000
   */
  readonly jitterMs?: number | undefined;
}

const MEMORYSTORE_OPTIONS: OptionTable<MemorystoreOptions> = {
  maximumBackoffMs: { check: notNegative, default: 64_000 },
  jitterMs: { check: wholeNumber, default: 1_000 },
};

/**
 * min(2^n s + a random 0…1000 ms, maximum backoff), with n from 0 at the first retry: 1, 2, 4 … s, then the maximum each
 * time. The jitter is drawn anew for each retry.
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
  return rule(readOptions('memorystore', options, MEMORYSTORE_OPTIONS));
}

function rule({ maximumBackoffMs, jitterMs }: Complete<MemorystoreOptions>): BackoffStrategy {
  return ({ retry, random }) =>
    Math.min(2 ** (retry - 1) * 1_000 + wholeUpTo(jitterMs, random), maximumBackoffMs);
}

/** `memorystore()`, without its table of options: every policy has this rule. */
export const BY_DEFAULT: BackoffStrategy = /* @__PURE__ */ rule({
  maximumBackoffMs: 64_000,
  jitterMs: 1_000,
});
