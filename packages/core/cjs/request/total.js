"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Total = void 0;
const out_of_time_ts_1 = require("./out-of-time.js");
/** The total timeout of a request, and what it has done. */
class Total {
    /** When the call began, in milliseconds since the epoch. */
    startedAtMs;
    /** True if the attempt in flight ends with the total timeout, not with its own. */
    bindsAttempt = false;
    /** The last response that a retry followed. */
    answer;
    /** True if it is the result of the request. */
    fallsBack = false;
    #policy;
    constructor(policy) {
        this.#policy = policy;
        this.startedAtMs = policy.clock.now();
    }
    /** `undefined` without a total timeout. Reading a clock takes as long as half of the rest of a session. */
    static of(policy) {
        return policy.totalTimeoutMs === undefined ? undefined : new Total(policy);
    }
    get timeoutMs() {
        return this.#policy.totalTimeoutMs;
    }
    /** What is left of it, in milliseconds. */
    get leftMs() {
        return this.startedAtMs + this.timeoutMs - this.#policy.clock.now();
    }
    /** @throws OutOfTime if it has passed */
    check() {
        if (this.leftMs < 0)
            throw new out_of_time_ts_1.OutOfTime(this.timeoutMs, true);
    }
    /** How long an attempt may take that has `ownMs` milliseconds of its own. */
    bound(ownMs) {
        const leftMs = Math.max(0, this.leftMs);
        this.bindsAttempt = ownMs === undefined || leftMs <= ownMs;
        return this.bindsAttempt ? leftMs : ownMs;
    }
    /** True for an attempt that it has ended. */
    hasEnded(outcome) {
        if (!this.bindsAttempt || outcome.type !== 'failure' || outcome.kind !== 'timeout')
            return false;
        // A client's own timeout may have ended it before. Clocks have fractions of a millisecond.
        return this.leftMs < 1;
    }
}
exports.Total = Total;
//# sourceMappingURL=total.js.map