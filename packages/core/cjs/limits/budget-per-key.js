"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.budgetPerKey = budgetPerKey;
const options_ts_1 = require("../base/options.js");
const budget_ts_1 = require("../parts/budget.js");
const per_key_ts_1 = require("../parts/per-key.js");
const bind_clock_ts_1 = require("./bind-clock.js");
const budget_ts_2 = require("./budget.js");
const per_key_ts_2 = require("./per-key.js");
const per_key_options_ts_1 = require("./per-key-options.js");
/**
 * The budget of a key, as one request holds it. It is looked up at each use, because the budget may be evicted, or may
 * get a place in the map, while the request is in flight.
 */
class HeldBudget {
    #find;
    #key;
    #last;
    #begunWith;
    #withdrawnFrom;
    constructor(find, key) {
        this.#find = find;
        this.#key = key;
    }
    get #budget() {
        try {
            this.#last = this.#find(this.#key);
        }
        catch (error) {
            // A budget is used after the response has come: a `make` that throws only now must not lose the response.
            if (this.#last === undefined)
                throw error;
        }
        return this.#last;
    }
    get part() {
        return new budget_ts_1.BudgetPart(this);
    }
    get balance() {
        return this.#budget.balance;
    }
    begin() {
        this.#begunWith = this.#budget;
        this.#begunWith.begin?.();
    }
    end() {
        this.#begunWith?.end?.();
        this.#begunWith = undefined;
    }
    deposit() {
        this.#budget.deposit();
    }
    withdraw() {
        this.#withdrawnFrom = this.#budget;
        return this.#withdrawnFrom.withdraw();
    }
    refund() {
        const budget = this.#withdrawnFrom ?? this.#budget;
        this.#withdrawnFrom = undefined;
        budget.refund?.();
    }
}
class BudgetPerKey {
    #map;
    /** The budget of all keys for which there is no room. */
    #overflow;
    constructor(make, setup) {
        this.#map = new per_key_ts_2.KeyMap(make, ({ isIdle }) => isIdle === true, setup);
    }
    get part() {
        return new per_key_ts_1.PerKeyPart((call) => this.for(call.request, call.policy.key));
    }
    takeClock(clock) {
        this.#map.takeClock(clock);
        (0, bind_clock_ts_1.bindClock)(this.#overflow, clock);
    }
    get size() {
        return this.#map.size;
    }
    #find = (key) => {
        const budget = this.#map.find(key);
        if (budget !== undefined)
            return budget;
        this.#overflow ??= this.#map.made(key);
        return this.#overflow;
    };
    for(request, key = this.#map.keyFor(request)) {
        return new HeldBudget(this.#find, key);
    }
}
function budgetPerKey(first = {}, second, third) {
    const given = [first, second, third];
    const { make, setup } = (0, per_key_options_ts_1.readPerKey)('budgetPerKey', given, budget_ts_2.BUDGET_OPTIONS, (options) => {
        const budget = (0, options_ts_1.readOptions)('retryBudget', options, budget_ts_2.BUDGET_OPTIONS);
        return () => new budget_ts_2.SuccessBudget(budget);
    });
    return new BudgetPerKey(make, setup);
}
//# sourceMappingURL=budget-per-key.js.map