"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.BudgetPart = void 0;
/** Every retry withdraws from the budget. */
class BudgetPart {
    name = 'budget';
    place = 'watching';
    #budget;
    constructor(budget) {
        this.#budget = budget;
    }
    begin(call) {
        // Only the outermost layer retries, and withdraws.
        if (call.around.isInner)
            return undefined;
        this.#budget.begin?.();
        return new BudgetTurn(this.#budget);
    }
}
exports.BudgetPart = BudgetPart;
class BudgetTurn {
    #budget;
    /** True while the budget counts the request as in flight. */
    #isCounted = true;
    /** True while a retry is paid for, and has not been sent. */
    #isOpen = false;
    constructor(budget) {
        this.#budget = budget;
    }
    permit() {
        this.#isOpen = this.#budget.withdraw();
        return this.#isOpen ? undefined : 'budget-exhausted';
    }
    leave(outcome) {
        if (outcome !== undefined)
            this.#isOpen = false;
    }
    end(reason) {
        if (reason === 'success')
            this.#budget.deposit();
        if (this.#isOpen)
            this.#budget.refund?.();
        this.#isOpen = false;
        // A download that breaks after its response was judged ends a second time.
        if (this.#isCounted)
            this.#budget.end?.();
        this.#isCounted = false;
    }
}
//# sourceMappingURL=budget.js.map