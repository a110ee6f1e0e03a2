import { budgetSetup, type ValkeyBudget, type ValkeyBudgetOptions } from './budget-options.ts';
import { FleetBudget } from './budget-process.ts';

export type { ValkeyBudget, ValkeyBudgetStats } from './budget-options.ts';

/**
 * A retry budget in Valkey or Redis, shared by all processes with the same key. The whole fleet retries at most
 * `reserve` times, plus `ratio` times for each request that succeeds. The windows are those of core's `retryBudget`.
 *
 * A request that fails before the first reply of the store is not retried: `withdraw` is synchronous, so a retry is
 * leased before it is needed, when a request begins. A process makes at most one call per `lease.aheadMs`.
 *
 * @throws TypeError, RangeError if an option is invalid; the message names it
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { valkeyBudget } from '@ebb/valkey';
 * import { Redis } from 'iovalkey';
 *
 * const client = new Redis('redis://localhost:6379');
 * const budget = valkeyBudget({ client, key: 'api.example.com', ratio: 0.1 });
 * const fetch = createFetch({ budget });
 * ```
 */
export function valkeyBudget(options: ValkeyBudgetOptions): ValkeyBudget {
  return new FleetBudget(budgetSetup(options));
}
