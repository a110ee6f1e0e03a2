import type { Outcome } from '../../http/outcome.ts';
import { Taking } from '../../loop/at-once.ts';
import type { OwnBudget } from '../../loop/contracts.ts';
import type { Part, PartCall, Turn } from '../../loop/part.ts';
import type { StopReason } from '../../news/events.ts';

/** Every retry withdraws from the budget. */
export class BudgetPart implements Part {
  readonly name = 'budget';
  readonly place = 'watching';
  readonly taking: Part['taking'] = Taking;
  readonly #budget: OwnBudget;

  constructor(budget: OwnBudget) {
    this.#budget = budget;
  }

  begin(call: PartCall): Turn | undefined {
    // Only the outermost layer retries, and withdraws.
    if (call.around.isInner) return undefined;
    this.#budget.begin?.();
    return new BudgetTurn(this.#budget);
  }
}

class BudgetTurn implements Turn {
  readonly #budget: OwnBudget;
  /** True while the budget counts the request as in flight. */
  #isCounted = true;
  /** True while a retry is paid for, and has not been sent. */
  #isOpen = false;

  constructor(budget: OwnBudget) {
    this.#budget = budget;
  }

  permit(): StopReason | undefined {
    this.#isOpen = this.#budget.withdraw();
    return this.#isOpen ? undefined : 'budget-exhausted';
  }

  leave(outcome: Outcome | undefined): void {
    if (outcome !== undefined) this.#isOpen = false;
  }

  skip(): void {
    if (this.#isOpen) this.#budget.refund?.();
    this.#isOpen = false;
  }

  end(reason: StopReason): void {
    if (reason === 'success') this.#budget.deposit();
    this.skip();
    // `end` is called twice for a download that breaks after its response was judged.
    if (this.#isCounted) this.#budget.end?.();
    this.#isCounted = false;
  }
}
