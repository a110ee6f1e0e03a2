"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Refusal = void 0;
/** The store's last refusal to lease tokens, and how long it stands. Amounts are millionths of a token. */
class Refusal {
    #refillPerMs;
    #amount = 0;
    #byMs = Number.NEGATIVE_INFINITY;
    #untilMs = Number.NEGATIVE_INFINITY;
    constructor(refillPerMs) {
        this.#refillPerMs = refillPerMs;
    }
    /** `amount` tokens cannot come before `byMs`, and asking again is useless before `untilMs`. */
    set(amount, byMs, untilMs) {
        this.#amount = amount;
        this.#byMs = byMs;
        this.#untilMs = untilMs;
    }
    clear() {
        this.#untilMs = Number.NEGATIVE_INFINITY;
    }
    /** Whether a lease of as many tokens, needed by `byMs`, would be refused as well. */
    covers(amount, byMs, nowMs) {
        return nowMs < this.#untilMs && amount >= this.#amount && byMs <= this.#byMs;
    }
    /** When to ask again; `Infinity` if no refusal stands. */
    retryAtMs(nowMs) {
        return this.#untilMs > nowMs ? this.#untilMs : Number.POSITIVE_INFINITY;
    }
    /** Ends the refusal if its tokens come in time after all, because other requests have left the queue. */
    observe(emptyAtMs) {
        if (emptyAtMs + this.#amount / this.#refillPerMs <= this.#byMs)
            this.clear();
    }
}
exports.Refusal = Refusal;
//# sourceMappingURL=refusal.js.map