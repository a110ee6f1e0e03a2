import { type Clock, type PolicyOptions, retryBudget, throttle } from '@ebb/core';

const timeout = { attemptTimeoutMs: 1_000 };

/** What the clients do about a service in trouble. */
export const SCHEMES: Readonly<Record<string, (clock: Clock) => PolicyOptions>> = {
  'no retries': () => ({ ...timeout, maxRetries: 0 }),
  default: () => timeout,
  'retryBudget()': (clock) => ({ ...timeout, budget: retryBudget({ clock }) }),
  'throttle()': () => ({ ...timeout, throttle: throttle() }),
  'throttle(), totalTimeoutMs 10 s': () => ({ ...timeout, totalTimeoutMs: 10_000, throttle: throttle() }),
  "throttle(), whenSkipped 'fail'": () => ({ ...timeout, throttle: throttle({ whenSkipped: 'fail' }) }),
  'throttle() and retryBudget()': (clock) => ({
    ...timeout,
    throttle: throttle(),
    budget: retryBudget({ clock }),
  }),
};
