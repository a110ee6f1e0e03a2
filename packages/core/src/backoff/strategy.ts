import type { Random } from '../base/clock.ts';

/** What a backoff rule computes the delay from. */
export interface BackoffStep {
  /** The number of the retry, from 1. */
  readonly retry: number;
  /** The delay that the rule returned for the retry before, in milliseconds; `undefined` at the first. */
  readonly previousDelayMs: number | undefined;
  /** Uniform in [0, 1). */
  readonly random: Random;
}

/** Returns the delay before a retry, in milliseconds; `undefined` gives up. */
export interface BackoffStrategy {
  (step: BackoffStep): number | undefined;
  /**
   * The number of retries of a rule that gives up by itself. A policy without `maxRetries` uses this number. A function
   * that wraps a rule must copy it.
   * @default none: the default of the policy applies
   */
  readonly maxRetries?: number | undefined;
}

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

/** A rule that gives up after `maxRetries` retries, with that number as its property. */
export function ending(maxRetries: number, delay: (step: BackoffStep) => number): BackoffStrategy {
  const rule = (step: BackoffStep): number | undefined =>
    step.retry <= maxRetries ? delay(step) : undefined;
  return Object.assign(rule, { maxRetries });
}
