"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.MemoryTokens = void 0;
/** The limits of one bucket in memory. Tokens are taken from all of them, or from none. */
class MemoryTokens {
    #first;
    #further;
    constructor(first, further) {
        this.#first = first;
        this.#further = further;
    }
    get refillPerSecond() {
        return this.#first.refillPerSecond;
    }
    /** The capacity of the first limit. */
    get ownCapacity() {
        return this.#first.capacity;
    }
    get capacity() {
        return this.#least((quota) => quota.capacity);
    }
    tokens(nowMs) {
        return this.#least((quota) => quota.tokens(nowMs));
    }
    isIdle(nowMs) {
        const isFull = (quota) => quota.tokens(nowMs) >= quota.capacity;
        return isFull(this.#first) && this.#further.every(isFull);
    }
    #least(of) {
        return this.#further.reduce((least, quota) => Math.min(least, of(quota)), of(this.#first));
    }
    take(cost, nowMs) {
        if (this.#further.length === 0)
            return this.#first.take(cost, nowMs);
        if (this.#further.some((quota) => quota.waitMs(cost, nowMs) > 0))
            return false;
        if (!this.#first.take(cost, nowMs))
            return false;
        for (const quota of this.#further)
            quota.spend(cost, nowMs);
        return true;
    }
    get held() {
        if (this.#further.length === 0)
            return this.#first.held;
        return [this.#first.held, ...this.#further.map((quota) => quota.held)];
    }
    waitMs(cost, nowMs) {
        let waitMs = this.#first.waitMs(cost, nowMs);
        for (const quota of this.#further)
            waitMs = Math.max(waitMs, quota.waitMs(cost, nowMs));
        return waitMs;
    }
    dueMs(firstCost, nowMs) {
        return firstCost === 0 ? Number.POSITIVE_INFINITY : nowMs + this.waitMs(firstCost, nowMs);
    }
    settle(surplus, held, nowMs) {
        const each = typeof held === 'number' ? [held] : held;
        [this.#first, ...this.#further].forEach((quota, index) => {
            if (surplus < 0)
                quota.spend(-surplus, nowMs);
            else
                quota.giveBack(surplus, each[index] ?? Number.NEGATIVE_INFINITY, nowMs);
        });
    }
    /** Pauses the first limit only: emptying the quota of a day would close the bucket for a day. */
    pause(untilMs, nowMs) {
        this.#first.pause(untilMs, nowMs);
    }
    resume(nowMs) {
        this.#first.resume(nowMs);
    }
    pausedMs(nowMs) {
        return this.#first.pausedMs(nowMs);
    }
    /** Changes the first limit; further limits stay as they are. */
    setRate(rate, nowMs) {
        this.#first.setRate(rate, nowMs);
    }
}
exports.MemoryTokens = MemoryTokens;
//# sourceMappingURL=memory-tokens.js.map