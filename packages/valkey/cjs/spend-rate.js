"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SpendRate = void 0;
/** How fast a process spends tokens: an exponential moving average over about the last `overMs`. */
class SpendRate {
    #overMs;
    #perMs = 0;
    #sinceMs;
    constructor(overMs, nowMs) {
        this.#overMs = overMs;
        this.#sinceMs = nowMs;
    }
    get perMs() {
        return this.#perMs;
    }
    /** Records what was spent since the last call. Steps may have any length. */
    record(spent, nowMs) {
        const elapsedMs = nowMs - this.#sinceMs;
        if (elapsedMs <= 0) {
            this.#perMs += spent / this.#overMs;
            return;
        }
        const weight = 1 - Math.exp(-elapsedMs / this.#overMs);
        this.#perMs += (spent / elapsedMs - this.#perMs) * weight;
        this.#sinceMs = nowMs;
    }
}
exports.SpendRate = SpendRate;
//# sourceMappingURL=spend-rate.js.map