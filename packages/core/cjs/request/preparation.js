"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Preparation = void 0;
exports.hasHooks = hasHooks;
const promise_ts_1 = require("../base/promise.js");
const header_changes_ts_1 = require("./header-changes.js");
const out_of_time_ts_1 = require("./out-of-time.js");
/** True if the policy has hooks that change the headers of an attempt. */
function hasHooks({ beforeAttempt, idempotencyKey }) {
    return beforeAttempt !== undefined || idempotencyKey !== undefined;
}
/**
 * The user's code that an attempt needs before it can be sent: hooks that change its headers, and a body factory. It may
 * take long, so it ends with the caller's signal, with the timeout of the attempt, whose time it takes, and with the total
 * timeout.
 */
class Preparation {
    /** The headers that the attempt changes; `undefined` for none. */
    changes;
    #policy;
    #request;
    #total;
    #isInner;
    #hop;
    /** True if `beforeAttempt` is not to be asked. */
    #isAway;
    #key;
    /** How long the code has taken for this attempt, in milliseconds. */
    #takenMs = 0;
    constructor({ policy, request, total, isInner, hop, callRequest }) {
        this.#policy = policy;
        this.#request = request;
        this.#total = total;
        this.#isInner = isInner;
        this.#hop = hop;
        this.#isAway = policy.beforeAttempt !== undefined && (0, header_changes_ts_1.isAway)(request, hop, callRequest);
    }
    /** The key of ebb that every attempt carries; `undefined` before the first, and if there is none. */
    get idempotencyKey() {
        return this.#key?.isOurs ? this.#key.value : undefined;
    }
    /** True if every attempt carries the same idempotency key of ebb. */
    get isKeyed() {
        return this.#key?.isOurs === true && this.#key.isKept;
    }
    /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
    get isKeyLost() {
        return this.#key?.isKept === false;
    }
    /** Prepares for the next attempt. */
    reset() {
        this.changes = undefined;
        this.#takenMs = 0;
    }
    /** What is left of the timeout of the attempt, in milliseconds; `undefined` if it has none. */
    get attemptLeftMs() {
        const { attemptTimeoutMs } = this.#policy;
        return attemptTimeoutMs === undefined ? undefined : Math.max(0, attemptTimeoutMs - this.#takenMs);
    }
    /**
     * Asks the hooks for {@link changes}. Returns a promise if they return one.
     *
     * @throws HookError, at once or as a rejection, if a hook fails
     */
    dress(attempt, previous) {
        const policy = this.#policy;
        if (attempt === 1 && !this.#isInner)
            this.#key ??= (0, header_changes_ts_1.keyOf)(policy, this.#request, this.#hop?.key);
        const made = (0, header_changes_ts_1.headerChangesOf)(policy, { attempt, request: this.#request, previous, leftMs: this.#total?.leftMs }, this.#key, this.#isAway);
        if ((0, promise_ts_1.isPromise)(made))
            return made.then((changes) => this.#wear(changes));
        this.#wear(made);
        return undefined;
    }
    #wear(changes) {
        this.changes = changes;
    }
    /**
     * Waits for user code, and returns how long it took, in milliseconds.
     *
     * @throws the signal's own reason when it aborts; OutOfTime; what the code throws
     */
    async settle(start, signal) {
        const { clock, attemptTimeoutMs = Number.POSITIVE_INFINITY, totalTimeoutMs } = this.#policy;
        const beganMs = clock.now();
        const work = start();
        const ownMs = attemptTimeoutMs - this.#takenMs;
        const totalMs = this.#total?.leftMs ?? Number.POSITIVE_INFINITY;
        const isTotal = totalMs <= ownMs;
        const late = () => new out_of_time_ts_1.OutOfTime((isTotal ? totalTimeoutMs : attemptTimeoutMs), isTotal);
        if (work !== undefined)
            await (0, out_of_time_ts_1.settledWithin)(work, { clock, signal, leftMs: Math.min(ownMs, totalMs), late });
        const tookMs = clock.now() - beganMs;
        this.#takenMs += tookMs;
        if (this.#takenMs >= attemptTimeoutMs)
            throw new out_of_time_ts_1.OutOfTime(attemptTimeoutMs, false);
        return tookMs;
    }
    /**
     * Calls what makes the body, and returns how long that took, in milliseconds.
     *
     * @throws as {@link settle}
     */
    async makeBody(make, signal) {
        const state = { over: false };
        try {
            return await this.settle(() => make(state), signal);
        }
        finally {
            state.over = true;
        }
    }
}
exports.Preparation = Preparation;
//# sourceMappingURL=preparation.js.map