import { notNegative, positive, wholeNumber } from '../base/check.ts';
import { type Complete, type OptionTable, readOptions } from '../base/options.ts';
import type { Random } from '../base/time.ts';
import type { BackoffStep, BackoffStrategy } from './strategy.ts';

/** A random whole number from 0 to `most`, both included. */
export function wholeUpTo(most: number, random: Random): number {
  return Math.min(most, Math.floor(random() * (most + 1)));
}

/** 2^1024 is infinite, and 0 times infinity is `NaN`. */
export const LARGEST_EXPONENT = 1_023;

/** A product of finite numbers may be infinite. */
export function finite(product: number): number {
  return Math.min(product, Number.MAX_VALUE);
}

/** A rule that gives up after `maxRetries` retries, and has the number as its property. */
export function withMaxRetries(maxRetries: number, delay: (step: BackoffStep) => number): BackoffStrategy {
  const rule = (step: BackoffStep): number | undefined =>
    step.retry <= maxRetries ? delay(step) : undefined;
  return Object.assign(rule, { maxRetries });
}

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

/** The curve of the exponential rules: base·2^n, at most cap, with n from 0 at the first retry. */
export interface Curve {
  /** The first delay, in milliseconds. */
  readonly baseMs: number;
  /** The largest delay, in milliseconds. */
  readonly capMs: number;
}

const CURVE_OPTIONS: OptionTable<Curve> = {
  baseMs: { check: positive, required: true },
  capMs: { check: notNegative, required: true },
};

function ceilingOf({ baseMs, capMs }: Curve, retry: number): number {
  return Math.min(capMs, baseMs * 2 ** (retry - 1));
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
  const setup = readOptions('exponential', curve, CURVE_OPTIONS);
  return ({ retry }) => ceilingOf(setup, retry);
}

/**
 * A random delay between 0 and min(cap, base·2^n).
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
  const setup = readOptions('fullJitter', curve, CURVE_OPTIONS);
  return ({ retry, random }) => random() * ceilingOf(setup, retry);
}

/**
 * Half of min(cap, base·2^n), plus a random delay up to the other half.
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
  const setup = readOptions('equalJitter', curve, CURVE_OPTIONS);
  return ({ retry, random }) => (ceilingOf(setup, retry) / 2) * (1 + random());
}

/**
 * min(cap, a random delay between base and three times the previous delay). The previous delay of the first retry is base.
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
  const { baseMs, capMs } = readOptions('decorrelatedJitter', curve, CURVE_OPTIONS);
  return ({ previousDelayMs = baseMs, random }) =>
    Math.min(capMs, baseMs + random() * (finite(3 * previousDelayMs) - baseMs));
}

/**
 * The same delay each time. `constant(0)` is the "no backoff" of the comparison in the source.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @param delayMs in milliseconds
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
