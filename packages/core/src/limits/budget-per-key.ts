import type { RequestTraits } from '../http/outcome.ts';
import { type RetryBudgetOptions, SuccessBudget } from './budget.ts';
import type { PerKey, RetryBudget } from './contracts.ts';
import { KeyMap, type PerKeyOptions } from './per-key.ts';

/**
 * The budget of a key, as one request holds it. It is looked up at each use: while the request was under way it
 * may have been let go, and made anew for another.
 */
class HeldBudget implements RetryBudget {
  readonly #find: (key: string) => SuccessBudget;
  readonly #key: string;
  #withdrawnFrom: SuccessBudget | undefined;

  constructor(find: (key: string) => SuccessBudget, key: string) {
    this.#find = find;
    this.#key = key;
  }

  get balance(): number {
    return this.#find(this.#key).balance;
  }

  deposit(): void {
    this.#find(this.#key).deposit();
  }

  withdraw(): boolean {
    this.#withdrawnFrom = this.#find(this.#key);
    return this.#withdrawnFrom.withdraw();
  }

  refund(): void {
    const budget = this.#withdrawnFrom ?? this.#find(this.#key);
    this.#withdrawnFrom = undefined;
    budget.refund();
  }
}

class BudgetPerKey implements PerKey<RetryBudget> {
  readonly #kept: KeyMap<SuccessBudget>;
  /** Of all the keys for which there is no room. */
  readonly #overflow: SuccessBudget;

  constructor(budget: RetryBudgetOptions, options: PerKeyOptions) {
    // Wrong options are told now, and not at the first request.
    this.#overflow = new SuccessBudget(budget);
    const make = (): SuccessBudget => new SuccessBudget(budget);
    this.#kept = new KeyMap('budgetPerKey', make, ({ isIdle }) => isIdle, options);
  }

  get size(): number {
    return this.#kept.size;
  }

  readonly #find = (key: string): SuccessBudget => this.#kept.find(key) ?? this.#overflow;

  for(request: RequestTraits, key: string = this.#kept.keyFor(request)): RetryBudget {
    return new HeldBudget(this.#find, key);
  }
}

/**
 * A {@link retryBudget} for each key: for each origin, if nothing else is said. Keys beyond `maxKeys` share one
 * more budget until there is room: a budget is drawn on after an answer, and must neither fail then, nor grow
 * without bounds, nor leave anything uncounted.
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
export function budgetPerKey(
  budget: RetryBudgetOptions = {},
  options: PerKeyOptions = {},
): PerKey<RetryBudget> {
  return new BudgetPerKey(budget, options);
}
