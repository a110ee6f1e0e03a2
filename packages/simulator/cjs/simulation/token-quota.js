"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.TokenQuota = void 0;
const bucket_1 = require("@ebb/core/bucket");
/**
 * The arithmetic of token buckets whose state is one number each. As in core, the state is a time in which one token
 * comes in each second, whatever the rate: whole tokens then add up exactly. In real time the rounding errors of many
 * grants add up until a token misses its refill step. `token-quota.test.ts` holds this against core's bucket.
 */
class TokenQuota {
    #unit;
    #perSecond;
    #intervalMs;
    constructor({ capacity, refillPerSecond, refillIntervalMs = 0 }) {
        this.#unit = { capacity, refillPerSecond: 1 };
        this.#perSecond = refillPerSecond;
        this.#intervalMs = refillIntervalMs;
    }
    #ownMs(nowMs) {
        const intervalMs = this.#intervalMs;
        const refilledMs = intervalMs === 0 ? nowMs : bucket_1.refillSteps.stepsBy(intervalMs, nowMs) * intervalMs;
        return refilledMs * this.#perSecond;
    }
    /** The state of a bucket that holds so many tokens. */
    holding(tokens, nowMs) {
        return bucket_1.gcra.holding(this.#unit, tokens, this.#ownMs(nowMs));
    }
    /** The state after taking tokens; `undefined` if the bucket does not hold enough. */
    take(state, cost, nowMs) {
        return bucket_1.gcra.take(this.#unit, state, cost, this.#ownMs(nowMs));
    }
    /** The state after taking tokens, which may leave a debt. */
    spend(state, cost, nowMs) {
        return bucket_1.gcra.spend(this.#unit, state, cost, this.#ownMs(nowMs));
    }
    /** How long until the bucket holds so many tokens, in milliseconds; 0 if it does now. */
    waitMs(state, cost, nowMs) {
        const intervalMs = this.#intervalMs;
        const ownMs = this.#ownMs(nowMs);
        if (intervalMs === 0)
            return bucket_1.gcra.waitMs(this.#unit, state, cost, ownMs) / this.#perSecond;
        const steps = bucket_1.refillSteps.stepsToWait(this.#unit, state, cost, ownMs, intervalMs * this.#perSecond);
        return steps === 0 ? 0 : (bucket_1.refillSteps.stepsBy(intervalMs, nowMs) + steps) * intervalMs - nowMs;
    }
}
exports.TokenQuota = TokenQuota;
//# sourceMappingURL=token-quota.js.map