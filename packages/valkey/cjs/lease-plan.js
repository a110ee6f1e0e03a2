"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.LeasePlan = void 0;
const lease_size_ts_1 = require("./lease-size.js");
const refusal_ts_1 = require("./refusal.js");
const spend_rate_ts_1 = require("./spend-rate.js");
const ONE_TOKEN = 1e6;
/**
 * How much to lease, by what the queue needs, what the process spends, and what the store replied. Amounts are
 * millionths of a token.
 */
class LeasePlan {
    #setup;
    #spendRate;
    #size;
    #refusal;
    /**
     * If no request waits and the pool holds less than this, it is refilled; below 0 while the store has none to spare.
     */
    #lowWater = 0;
    /** What was leased and not returned, and how much of it `#spendRate` has counted as spent. */
    #leased = 0;
    #recordedSpend = 0;
    /** `processes` returns how many processes share the bucket, at least 1. */
    constructor(setup, processes, nowMs) {
        this.#setup = setup;
        this.#spendRate = new spend_rate_ts_1.SpendRate(setup.aheadMs, nowMs);
        this.#size = new lease_size_ts_1.LeaseSize(setup, processes);
        this.#refusal = new refusal_ts_1.Refusal(setup.refillPerSecond * 1_000);
    }
    /** Whether to lease in advance with `left` tokens in the pool. */
    isLow(left) {
        return left < this.#lowWater;
    }
    /** The call to make; `undefined` if `left` tokens are enough or the store would refuse. */
    callFor(backlog, left, nowMs) {
        const { firstCost, firstDeadlineMs, totalCost } = backlog;
        const lacking = firstCost - left;
        const enough = totalCost === 0 ? this.#lowWater : this.#size.enoughFor(totalCost);
        if (lacking <= 0 && left >= enough)
            return undefined;
        const { capacity, nonConforming } = this.#setup;
        const minAmount = Math.ceil(lacking > 0 ? lacking : Math.min(ONE_TOKEN, capacity * 1e6));
        // Only requests that wait can use future tokens.
        const byMs = nonConforming === 'delay' ? firstDeadlineMs : nowMs;
        if (this.#refusal.covers(minAmount, byMs, nowMs))
            return undefined;
        const spent = this.#leased - left;
        this.#spendRate.record(spent - this.#recordedSpend, nowMs);
        this.#recordedSpend = spent;
        const maxAvailable = Math.max(minAmount, Math.ceil(totalCost + this.#expectedSpend - left));
        const future = nonConforming === 'delay' ? this.#futureFor(backlog, left) : 0;
        const maxFuture = Math.max(minAmount, Math.ceil(future));
        return { mode: 'lease', minAmount, maxAvailable, maxFuture, withinMs: byMs - nowMs };
    }
    /** How many future tokens to lease. */
    #futureFor(backlog, left) {
        if (backlog.count > 0)
            return this.#size.forQueue(backlog, left);
        return Math.min(this.#expectedSpend, this.#size.fairShare(this.#setup.aheadMs));
    }
    /** What this process is expected to spend within `aheadMs`. */
    get #expectedSpend() {
        return this.#spendRate.perMs * this.#setup.aheadMs;
    }
    /** The store leased tokens. */
    granted({ granted, emptyInMs, averageLease }) {
        this.#leased += granted;
        this.#size.record(granted, averageLease);
        // If requests anywhere wait for future tokens, none can be leased in advance.
        this.#lowWater = emptyInMs > this.#setup.aheadMs ? -1 : this.#expectedSpend / 4;
        this.#refusal.clear();
    }
    /** The store refused a call: its tokens come after the deadline of the first request. */
    refused(call, sentAtMs, { waitMs }, nowMs) {
        this.#refusal.set(call.minAmount, sentAtMs + call.withinMs, nowMs + waitMs);
        this.#lowWater = -1;
    }
    /** When to ask again for the waiting requests after a refusal; `Infinity` if none stands. */
    retryAtMs(nowMs) {
        return this.#refusal.retryAtMs(nowMs);
    }
    /** Whether the store has said that as many more tokens come after `byMs`. */
    isTooLate(lacking, byMs, nowMs) {
        return this.#refusal.covers(lacking, byMs, nowMs);
    }
    /** Leased tokens were returned to the store. */
    returned(amount) {
        this.#leased -= amount;
    }
    /** The store replied: all tokens leased so far are available at `emptyAtMs`. */
    observe(emptyAtMs) {
        this.#refusal.observe(emptyAtMs);
    }
    /** Called after an outage: earlier refusals say nothing about the store as it is now. */
    forgetRefusal() {
        this.#lowWater = 0;
        this.#refusal.clear();
    }
}
exports.LeasePlan = LeasePlan;
//# sourceMappingURL=lease-plan.js.map