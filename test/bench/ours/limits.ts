import { concurrencyLimit, type PolicyOptions, retryBudget, tokenBucket } from '@ebb/core';

/** The options of one of several clients, which differ in how often they retry. */
export function nthOptions(options: PolicyOptions, nth: number | undefined): PolicyOptions {
  return nth === undefined ? options : { ...options, maxRetries: nth + 1 };
}

/** Limits that no caller ever reaches. */
export const limits = {
  bucket: (): PolicyOptions => ({ bucket: tokenBucket({ capacity: 1e9, refillPerSecond: 1e9 }) }),
  budget: (): PolicyOptions => ({ budget: retryBudget() }),
  slots: (): PolicyOptions => ({ concurrency: concurrencyLimit({ maxConcurrent: 1_000 }) }),
  all: (): PolicyOptions => ({ ...limits.bucket(), ...limits.budget(), ...limits.slots() }),
};
