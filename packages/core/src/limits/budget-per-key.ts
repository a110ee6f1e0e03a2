import type { Clock } from '../base/clock.ts';
import { readOptions } from '../base/options.ts';
import type { RequestTraits } from '../http/outcome.ts';
import { BudgetPart } from '../parts/budget.ts';
import { PerKeyPart } from '../parts/per-key.ts';
import type { Part } from '../policy/part.ts';
import { bindClock, type ClockBound } from './bind-clock.ts';
import { BUDGET_OPTIONS, type RetryBudgetOptions, SuccessBudget } from './budget.ts';
import type { PerKey, RetryBudget } from './contracts.ts';
import { KeyMap } from './per-key.ts';
import {
  type KeyOf,
  type MakePerKey,
  type NoPerKeyOptions,
  type PerKeyArguments,
  type PerKeyOptions,
  type PerKeySetup,
  readPerKey,
} from './per-key-options.ts';

/**
 * The budget of a key, as one request holds it. It is looked up at each use, because the budget may be evicted, or may
 * get a place in the map, while the request is in flight.
 */
class HeldBudget implements RetryBudget {
  readonly #find: (key: string) => RetryBudget;
  readonly #key: string;
  #last: RetryBudget | undefined;
  #begunWith: RetryBudget | undefined;
  #withdrawnFrom: RetryBudget | undefined;

  constructor(find: (key: string) => RetryBudget, key: string) {
    this.#find = find;
    this.#key = key;
  }

  get #budget(): RetryBudget {
    try {
      this.#last = this.#find(this.#key);
    } catch (error) {
      // A budget is used after the response has come: a `make` that throws only now must not lose the response.
      if (this.#last === undefined) throw error;
    }
    return this.#last;
  }

  get part(): Part {
    return new BudgetPart(this);
  }

  get balance(): number {
    return this.#budget.balance;
  }

  begin(): void {
    this.#begunWith = this.#budget;
    this.#begunWith.begin?.();
  }

  end(): void {
    this.#begunWith?.end?.();
    this.#begunWith = undefined;
  }

  deposit(): void {
    this.#budget.deposit();
  }

  withdraw(): boolean {
    this.#withdrawnFrom = this.#budget;
    return this.#withdrawnFrom.withdraw();
  }

  refund(): void {
    const budget = this.#withdrawnFrom ?? this.#budget;
    this.#withdrawnFrom = undefined;
    budget.refund?.();
  }
}

class BudgetPerKey implements PerKey<RetryBudget>, ClockBound {
  readonly #map: KeyMap<RetryBudget>;
  /** The budget of all keys for which there is no room. */
  #overflow: RetryBudget | undefined;

  constructor(make: (key: string) => RetryBudget, setup: PerKeySetup) {
    this.#map = new KeyMap(make, ({ isIdle }) => isIdle === true, setup);
  }

  get part(): Part {
    return new PerKeyPart((call) => this.for(call.request, call.policy.key));
  }

  takeClock(clock: Clock): void {
    this.#map.takeClock(clock);
    bindClock(this.#overflow, clock);
  }

  get size(): number {
    return this.#map.size;
  }

  readonly #find = (key: string): RetryBudget => {
    const budget = this.#map.find(key);
    if (budget !== undefined) return budget;
    this.#overflow ??= this.#map.made(key);
    return this.#overflow;
  };

  for(request: RequestTraits, key: string = this.#map.keyFor(request)): RetryBudget {
    return new HeldBudget(this.#find, key);
  }
}

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
export function budgetPerKey(
  keyOf: KeyOf,
  make: MakePerKey<RetryBudget, RetryBudgetOptions & NoPerKeyOptions>,
  options?: PerKeyOptions,
): PerKey<RetryBudget>;
export function budgetPerKey(
  make?: MakePerKey<RetryBudget, RetryBudgetOptions>,
  options?: PerKeyOptions,
): PerKey<RetryBudget>;
export function budgetPerKey(
  first: KeyOf | MakePerKey<RetryBudget, RetryBudgetOptions> = {},
  second?: MakePerKey<RetryBudget, RetryBudgetOptions> | PerKeyOptions,
  third?: PerKeyOptions,
): PerKey<RetryBudget> {
  const given: PerKeyArguments<RetryBudget, RetryBudgetOptions> = [first, second, third];
  const { make, setup } = readPerKey('budgetPerKey', given, BUDGET_OPTIONS, (options) => {
    const budget = readOptions('retryBudget', options, BUDGET_OPTIONS);
    return () => new SuccessBudget(budget);
  });
  return new BudgetPerKey(make, setup);
}
