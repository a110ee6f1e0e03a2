import { adaptiveThrottle, type Clock, type PolicyOptions, retryBudget } from '@ebb/core';

const timeout = { attemptTimeoutMs: 1_000 };

/** What the clients do about a service in trouble. */
export const SCHEMES: Readonly<Record<string, (clock: Clock) => PolicyOptions>> = {
  'no retries': () => ({ ...timeout, maxRetries: 0 }),
  default: () => timeout,
  'retryBudget()': (clock) => ({ ...timeout, budget: retryBudget({ clock }) }),
  'adaptiveThrottle()': () => ({ ...timeout, throttle: adaptiveThrottle() }),
  'adaptiveThrottle(), totalTimeoutMs 10 s': () => ({
    ...timeout,
    totalTimeoutMs: 10_000,
    throttle: adaptiveThrottle(),
  }),
  "adaptiveThrottle(), whenSkipped 'fail'": () => ({
    ...timeout,
    throttle: adaptiveThrottle({ whenSkipped: 'fail' }),
  }),
  'adaptiveThrottle() and retryBudget()': (clock) => ({
    ...timeout,
    throttle: adaptiveThrottle(),
    budget: retryBudget({ clock }),
  }),
};
