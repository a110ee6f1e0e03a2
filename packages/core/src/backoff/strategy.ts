import type { Random } from '../base/time.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';

/** What a backoff rule computes the delay from. */
export interface BackoffStep {
  /** The number of the retry, from 1. */
  readonly retry: number;
  /** The delay that the rule returned for the retry before, in milliseconds; `undefined` at the first. */
  readonly previousDelayMs: number | undefined;
  /** Uniform in [0, 1). */
  readonly random: Random;
  /** What the retry follows: a response, or a failure. None after a chance that was skipped, or a body that broke. */
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
