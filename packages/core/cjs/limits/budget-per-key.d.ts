import { type RetryBudgetOptions } from './budget.ts';
import type { PerKey, RetryBudget } from './contracts.ts';
import { type KeyOf, type MakePerKey, type NoPerKeyOptions, type PerKeyOptions } from './per-key-options.ts';
/**
 * A {@link retryBudget} per key: by default per origin. `make` is the options that all of them share, or a function that
 * returns the budget of a key.
 *
 * Keys beyond `maxKeys` share one more budget until there is room; a function is called for the first of them. An error
 * in place of that budget would lose a response that is already there.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { budgetPerKey, createPolicy } from '@ebb/core';
 *
 * // An origin that is down uses up its own budget only.
 * const policy = createPolicy({ budget: budgetPerKey({ ratio: 0.1 }) });
 * ```
 */
export declare function budgetPerKey(keyOf: KeyOf, make: MakePerKey<RetryBudget, RetryBudgetOptions & NoPerKeyOptions>, options?: PerKeyOptions): PerKey<RetryBudget>;
export declare function budgetPerKey(make?: MakePerKey<RetryBudget, RetryBudgetOptions>, options?: PerKeyOptions): PerKey<RetryBudget>;
//# sourceMappingURL=budget-per-key.d.ts.map