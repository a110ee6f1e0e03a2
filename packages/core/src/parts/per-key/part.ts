import { wrongType } from '../../base/check.ts';
import { HookError } from '../../base/errors.ts';
import type { RetryBudget } from '../../loop/contracts.ts';
import type { Part, PartCall, Place } from '../../loop/part.ts';
import { BudgetPart } from '../budget/part.ts';

/** The limit of the key of each call takes part in it. `begin` throws a HookError if what `make` returns is no limit. */
export function perKeyPart(place: Place, limitOf: (call: PartCall) => object): Part {
  return {
    name: 'per-key',
    place,
    begin(call) {
      const limit = limitOf(call) as { readonly part?: Part };
      if (limit.part !== undefined) return limit.part.begin(call);
      throw new HookError(
        'make',
        wrongType('its result', 'a limit, or ownBucket(…), ownLimit(…), ownBudget(…)', limit),
      );
    },
  };
}

/**
 * The budget of a key, as one request holds it. It is looked up at each use, because the budget may be evicted, or may
 * get a place in the map, while the request is in flight.
 */
export class HeldBudget implements RetryBudget {
  readonly part: Part = new BudgetPart(this);
  readonly #find: (key: string) => RetryBudget;
  readonly #key: string;
  #last: RetryBudget;
  #begunWith: RetryBudget | undefined;
  #withdrawnFrom: RetryBudget | undefined;

  constructor(find: (key: string) => RetryBudget, key: string, found: RetryBudget) {
    this.#find = find;
    this.#key = key;
    this.#last = found;
  }

  get #budget(): RetryBudget {
    try {
      this.#last = this.#find(this.#key);
    } catch {
      // A budget is used after the response has come: a `make` that throws only now must not lose the response.
    }
    return this.#last;
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
