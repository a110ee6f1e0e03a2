import { type RetryBudget } from '@ebb/core';
import { type ValkeyBudgetOptions } from './budget-options.ts';
/** The state of a shared budget, as far as this process knows it. */
export interface ValkeyBudgetStats {
    /** `'local'` while the store is unreachable. */
    readonly mode: 'shared' | 'local';
    /** Retries that this process has leased and not spent. */
    readonly leased: number;
    /** Retries that were left in the store at the last reply. */
    readonly inStore: number;
    /** How many processes called the store in the last windows; 0 before the first reply. */
    readonly processes: number;
    /** How often this process has called the store. */
    readonly calls: number;
}
/** A retry budget that all processes with the same key share. */
export interface ValkeyBudget extends RetryBudget {
    begin(): void;
    end(): void;
    refund(): void;
    stats(): ValkeyBudgetStats;
    /**
     * Reports the last successes to the store and returns unspent leases. From now on no retry is allowed. Never rejects,
     * and ends within twice `timeoutMs`. The client stays open.
     */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
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
export declare function valkeyBudget(options: ValkeyBudgetOptions): ValkeyBudget;
//# sourceMappingURL=budget.d.ts.map