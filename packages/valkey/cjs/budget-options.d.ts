import { type Complete } from '@ebb/core/bucket';
import type { LeaseOptions } from './options.ts';
import { type StoreClient } from './store-client.ts';
import { type StoreOptions } from './store-options.ts';
/** Options of {@link valkeyBudget}. Every process of the fleet passes the same key, ratio, reserve and window. */
export interface ValkeyBudgetOptions extends StoreOptions {
    /** The name of the budget, without braces. The key in the store is `prefix{key}:budget`. */
    readonly key: string;
    /**
     * Retries for each request that succeeds, from 0 to 1,000.
     * @default 0.2
     */
    readonly ratio?: number | undefined;
    /**
     * Retries that the whole fleet always has, from 0 to 1,000,000. Spent ones come back with successes, or after six
     * windows in which no process uses the budget.
     * @default 10
     */
    readonly reserve?: number | undefined;
    /**
     * How long a success counts, and how long a leased retry is valid, in milliseconds: from 10 to 86,400,000.
     * @default 10_000
     */
    readonly windowMs?: number | undefined;
    /**
     * `aheadMs`: the shortest time between two calls of this process to the store, in milliseconds; above 0, and at
     * most a tenth of the window.
     * @default { aheadMs: 100 }
     */
    readonly lease?: LeaseOptions | undefined;
    /**
     * The reserve of this process alone while the store is unreachable. It may be less than one: see `retryBudget`.
     * @default `reserve` / the highest number of processes that the store counted in the last twelve windows; in a
     * process that never reached the store, 0.1, or the reserve if that is less
     */
    readonly localReserve?: number | undefined;
    /**
     * The longest delay between two attempts to reach a lost store, in milliseconds, while requests are made.
     * @default 500
     */
    readonly retryMs?: number | undefined;
}
/** Options without a default. */
type Unset = 'localReserve' | 'onStoreEvent';
/** Validated options with all defaults applied. `key` is the whole key in the store. */
export interface BudgetSetup extends Omit<Complete<ValkeyBudgetOptions, Unset>, 'lease' | 'prefix'> {
    readonly storeClient: StoreClient;
    readonly aheadMs: number;
}
/** @throws TypeError, RangeError if an option is invalid; the message names it */
export declare function budgetSetup(options: ValkeyBudgetOptions): BudgetSetup;
export {};
//# sourceMappingURL=budget-options.d.ts.map