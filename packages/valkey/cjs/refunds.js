"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Refunds = void 0;
/** Tokens to return to the store or to charge there, in millionths. One call settles many. */
class Refunds {
    #call;
    /** What to return, by the state of the bucket at the time of the lease. */
    #unspent = new Map();
    /** What to charge. */
    #owed = 0;
    #inFlight = new Set();
    /** When to call the store; `Infinity` if there is nothing to do. */
    dueMs = Number.POSITIVE_INFINITY;
    constructor(call) {
        this.#call = call;
    }
    get busy() {
        return this.#unspent.size > 0 || this.#owed > 0 || this.#inFlight.size > 0;
    }
    /** Returns leased tokens by `dueMs`. */
    add(amount, leaseState, dueMs) {
        if (amount <= 0)
            return;
        this.#unspent.set(leaseState, (this.#unspent.get(leaseState) ?? 0) + amount);
        this.dueMs = Math.min(this.dueMs, dueMs);
    }
    /** Charges tokens that were spent without a lease, with the next {@link flush}. */
    owe(amount) {
        if (amount <= 0)
            return;
        this.#owed += amount;
        this.dueMs = Number.NEGATIVE_INFINITY;
    }
    /** Calls the store if it is due. */
    flush(nowMs) {
        if (nowMs < this.dueMs)
            return;
        this.dueMs = Number.POSITIVE_INFINITY;
        const unspent = [...this.#unspent];
        const owed = Math.ceil(this.#owed);
        this.#unspent.clear();
        this.#owed = 0;
        // A failed refund may have arrived, so it is never repeated: those tokens are lost. A failed charge is repeated.
        for (const [leaseState, amount] of unspent) {
            this.#send({ mode: 'refund', amount: Math.floor(amount), leaseState }, () => { });
        }
        if (owed > 0)
            this.#send({ mode: 'spend', amount: owed }, () => this.owe(owed));
    }
    #send(call, onFailure) {
        const sent = this.#call(call).then(() => { }, onFailure);
        this.#inFlight.add(sent);
        void sent.then(() => this.#inFlight.delete(sent));
    }
    /** Resolves when the calls in flight have ended. */
    async settled() {
        await Promise.all(this.#inFlight);
    }
}
exports.Refunds = Refunds;
//# sourceMappingURL=refunds.js.map