"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Leaser = void 0;
const backlog_ts_1 = require("./backlog.js");
const lease_plan_ts_1 = require("./lease-plan.js");
const pool_ts_1 = require("./pool.js");
/** Leases tokens from the store, with at most one call in flight. Amounts are millionths of a token. */
class Leaser {
    pool;
    plan;
    #setup;
    #time;
    #hooks;
    /** The call in flight. */
    leasing;
    /** A call will be made at the end of this turn of the event loop. */
    #leasingSoon = false;
    /** The largest cost of a request that left without tokens since the last call. */
    #missed = 0;
    constructor(setup, time, hooks) {
        this.#setup = setup;
        this.#time = time;
        this.#hooks = hooks;
        this.pool = new pool_ts_1.LeasePool(setup.refillPerSecond * 1_000);
        this.plan = new lease_plan_ts_1.LeasePlan(setup, hooks.processes, time.now());
    }
    /** Whether a call is in flight or about to be made. */
    get isLeasing() {
        return this.#leasingSoon || this.leasing !== undefined;
    }
    /** Takes tokens out of the pool if they are available, and refills the pool before it is empty. */
    take(amount, nowMs) {
        if (!this.pool.take(amount, nowMs))
            return false;
        if (this.plan.isLow(this.pool.left))
            this.leaseSoon();
        return true;
    }
    /** A request left without tokens: leases some for the next. */
    missed(amount) {
        this.#missed = Math.max(this.#missed, amount);
        this.leaseSoon();
    }
    /** Calls the store at the end of this turn, so that one call serves all requests of the turn. */
    leaseSoon() {
        if (this.isLeasing)
            return;
        this.#leasingSoon = true;
        queueMicrotask(() => {
            this.#leasingSoon = false;
            this.#lease(this.#time.now());
        });
    }
    #lease(nowMs) {
        const waiting = this.#hooks.backlog();
        const missed = { ...backlog_ts_1.EMPTY_BACKLOG, firstCost: this.#missed, totalCost: this.#missed };
        this.#missed = 0;
        if (!this.#hooks.mayLease(nowMs))
            return;
        const call = this.plan.callFor(waiting.firstCost > 0 ? waiting : missed, this.pool.left, nowMs);
        if (call === undefined)
            return;
        this.leasing = this.#hooks.call(call).then((reply) => {
            this.leasing = undefined;
            this.#receive(reply, call, nowMs);
        }, () => {
            this.leasing = undefined;
            this.#hooks.onCallEnd(this.#time.now());
        });
    }
    #receive(reply, call, sentAtMs) {
        const nowMs = this.#time.now();
        if (reply.granted > 0)
            this.#addLease(reply, nowMs);
        else if (!reply.tooLate)
            this.plan.refused(call, sentAtMs, reply, nowMs);
        this.#hooks.onCallEnd(nowMs);
    }
    #addLease(reply, nowMs) {
        const { aheadMs, graceMs } = this.#setup;
        const availableAtMs = nowMs + reply.emptyInMs;
        const waiting = this.#hooks.backlog().firstCost > 0;
        const expiresAtMs = Math.max(nowMs, availableAtMs) + (waiting ? graceMs : aheadMs);
        this.plan.granted(reply);
        this.pool.add({ left: reply.granted, availableAtMs, expiresAtMs, state: reply.state }, waiting);
    }
}
exports.Leaser = Leaser;
//# sourceMappingURL=leaser.js.map