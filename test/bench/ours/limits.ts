import { concurrencyLimit, type PolicyOptions, retryBudget, tokenBucket } from '@ebb/core';

/** Limits that no caller ever reaches. */
export const limits = {
  bucket: (): PolicyOptions => ({ bucket: tokenBucket({ capacity: 1e9, refillPerSecond: 1e9 }) }),
  budget: (): PolicyOptions => ({ budget: retryBudget() }),
  slots: (): PolicyOptions => ({ concurrency: concurrencyLimit({ maxConcurrent: 1_000 }) }),
  all: (): PolicyOptions => ({ ...limits.bucket(), ...limits.budget(), ...limits.slots() }),
};
