import type { Random } from '../base/time.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';

/** The input of a backoff rule. */
export interface BackoffStep {
  /** The number of the retry, from 1. */
  readonly retry: number;
  /** The delay that the rule returned for the retry before, in milliseconds; `undefined` at the first. */
  readonly previousDelayMs: number | undefined;
  /** Uniform in [0, 1). */
  readonly random: Random;
  /** The outcome before the retry: a response, or a failure. `undefined` after a skipped attempt or a broken body. */
  readonly outcome?: Outcome | undefined;
  /** The request. A policy always gives it; a program that calls a rule by hand need not. */
  readonly request?: RequestTraits | undefined;
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
