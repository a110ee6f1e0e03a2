"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.FleetTokens = void 0;
const backlog_ts_1 = require("./backlog.js");
const leaser_ts_1 = require("./leaser.js");
const refunds_ts_1 = require("./refunds.js");
const store_error_ts_1 = require("./store-error.js");
const store_link_ts_1 = require("./store-link.js");
const timer_ts_1 = require("./timer.js");
/** While requests wait, the store is asked for a pause at least this often. */
const FRESH_MS = 1_000;
const LEAST_FRESH_MS = 100;
/**
 * When what is known of the bucket is out of date. A request that waits long learns of a pause within a second, and
 * after half of its wait that others have left the queue.
 */
function staleAtMs(calledAtMs, dueMs) {
    return calledAtMs + Math.min(FRESH_MS, Math.max((dueMs - calledAtMs) / 2, LEAST_FRESH_MS));
}
/** A pause must fit into the times that the store can tell exactly: three years. */
const LONGEST_PAUSE_MS = 1e11;
/**
 * The tokens of the fleet as one process sees them: those that it has leased, those that it can lease, and its share
 * while the store cannot be reached. Tokens outside, millionths of a token inside.
 */
class FleetTokens {
    #setup;
    #time;
    #link;
    #leaser;
    #pool;
    #refunds;
    #timer;
    #perMs;
    #full;
    #backlog;
    #onChange;
    /** The state of the bucket when the last tokens taken were leased; `undefined` if they were not leased. */
    held;
    /** @param onChange called when tokens may have come in, or will not come any more */
    constructor(setup, time, queue, onChange) {
        const backlog = () => (0, backlog_ts_1.backlogOf)(queue);
        this.#setup = setup;
        this.#time = time;
        this.#backlog = backlog;
        this.#onChange = onChange;
        this.#perMs = setup.refillPerSecond * 1_000;
        this.#full = (0, backlog_ts_1.micro)(setup.capacity);
        const changed = (nowMs) => {
            this.#lookAfter(nowMs);
            this.#onChange();
        };
        this.#link = new store_link_ts_1.StoreLink(setup, time, {
            deadlineMs: () => this.#backlog().firstDeadlineMs,
            onPause: () => this.#giveAllBack(),
            onState: (emptyAtMs) => {
                this.#leaser.plan.observe(emptyAtMs);
                if (this.#pool.moveEarlier(emptyAtMs))
                    this.#onChange();
            },
            onChange: () => changed(time.now()),
            onLateLease: ({ granted, state }, nowMs) => this.#refunds.add(granted, state, nowMs),
            onDebt: (amount) => this.#refunds.owe(amount),
        });
        const call = (call) => this.#link.call(call);
        this.#leaser = new leaser_ts_1.Leaser(setup, time, {
            backlog,
            call,
            mayLease: (nowMs) => this.#isOpen(nowMs) && this.#link.outage === undefined,
            onCallEnd: (nowMs) => {
                // The tokens came after the bucket was closed, or are from before a pause.
                if (!this.#isOpen(nowMs))
                    this.#giveAllBack();
                changed(nowMs);
            },
            processes: () => Math.max(1, this.#link.processes),
        });
        this.#pool = this.#leaser.pool;
        this.#refunds = new refunds_ts_1.Refunds(call);
        this.#timer = new timer_ts_1.Timer(time, (nowMs) => {
            if (this.#isStale(nowMs))
                this.#peek();
            changed(nowMs);
        });
    }
    #isOpen(nowMs) {
        return nowMs >= this.#link.pause.untilMs && !this.#link.isClosed;
    }
    get mode() {
        return this.#link.outage?.mode ?? 'shared';
    }
    /** How many processes share the bucket; 0 until the store has said so. */
    get processes() {
        return this.#link.processes;
    }
    /** Calls to the store so far. */
    get calls() {
        return this.#link.calls;
    }
    /** Tokens that are leased and not spent. */
    get leased() {
        return this.#pool.left / 1e6;
    }
    get capacity() {
        return this.#setup.capacity;
    }
    get refillPerSecond() {
        return this.#setup.refillPerSecond;
    }
    /** In mode `'open'` everything is granted while the store cannot be reached. */
    get isBeyond() {
        return this.held === undefined && this.mode === 'open';
    }
    get unavailable() {
        if (this.#link.isClosed)
            return { message: 'the bucket was closed' };
        const { outage } = this.#link;
        if (outage?.mode !== 'closed')
            return undefined;
        const cause = outage.error;
        const why = this.#setup.onStoreError === 'closed'
            ? 'the store cannot be reached'
            : 'the store was never reached, so the share of this process is not known';
        return { message: `${why}: ${(0, store_error_ts_1.messageOf)(cause)}`, cause };
    }
    pausedMs(nowMs) {
        return Math.max(0, this.#link.pause.untilMs - nowMs);
    }
    tokens(nowMs) {
        return this.#tokens(nowMs) / 1e6;
    }
    #tokens(nowMs) {
        const { outage, emptyAtMs } = this.#link;
        if (outage?.mode === 'local')
            return this.#pool.left + outage.local.tokens(nowMs);
        return Math.min(this.#full, (nowMs - emptyAtMs) * this.#perMs + this.#pool.left);
    }
    isIdle(nowMs) {
        const busy = this.#leaser.isLeasing || this.#refunds.busy || this.#link.outage !== undefined;
        return !busy && this.#pool.left === 0 && this.#tokens(nowMs) >= this.#full;
    }
    take(cost, nowMs) {
        if (!this.#isOpen(nowMs))
            return false;
        const amount = (0, backlog_ts_1.micro)(cost);
        if (this.#leaser.take(amount, nowMs)) {
            this.held = this.#pool.lastUsed?.state;
            return true;
        }
        const { outage } = this.#link;
        if (outage === undefined)
            return false;
        this.held = undefined;
        const taken = outage.take(amount, nowMs);
        this.#lookAfter(nowMs);
        return taken;
    }
    missed(cost, nowMs) {
        if (this.pausedMs(nowMs) > 0)
            this.refusedFor(this.pausedMs(nowMs), nowMs);
        else
            this.#leaser.missed((0, backlog_ts_1.micro)(cost));
    }
    /**
     * Asks the store how the bucket stands, unless that is known. Others may have left the queue or ended the pause, and
     * while no request waits here nothing else would find out.
     */
    refusedFor(waitMs, nowMs) {
        const { outage, calledAtMs, isClosed } = this.#link;
        if (outage !== undefined || isClosed || this.#leaser.isLeasing)
            return;
        if (nowMs >= staleAtMs(calledAtMs, nowMs + waitMs))
            this.#peek();
    }
    #peek() {
        this.#link.call({ mode: 'peek' }).catch(() => { });
    }
    isTooLate(cost, deadlineMs, nowMs) {
        return (this.#link.outage === undefined &&
            this.#leaser.plan.isTooLate((0, backlog_ts_1.micro)(cost) - this.#pool.left, deadlineMs, nowMs));
    }
    waitMs(cost, nowMs) {
        const amount = (0, backlog_ts_1.micro)(cost);
        const pausedMs = this.pausedMs(nowMs);
        const { outage, emptyAtMs } = this.#link;
        const lacking = amount - this.#pool.left;
        const leasedMs = this.#pool.waitMs(amount, nowMs);
        if (outage === undefined) {
            return Math.max(pausedMs, leasedMs ?? emptyAtMs + lacking / this.#perMs - nowMs, 0);
        }
        if (outage.mode !== 'local')
            return pausedMs;
        return Math.max(pausedMs, leasedMs ?? outage.local.waitMs(lacking, nowMs));
    }
    /** Leases tokens for the queue if there are none. */
    dueMs(firstCost, nowMs) {
        const first = (0, backlog_ts_1.micro)(firstCost);
        this.#expire(first, nowMs);
        const leasedMs = first === 0 ? undefined : this.#pool.waitMs(first, nowMs);
        if (first > 0 && leasedMs === undefined)
            this.#leaser.leaseSoon();
        this.#lookAfter(nowMs);
        if (first === 0)
            return Number.POSITIVE_INFINITY;
        const { outage } = this.#link;
        const pausedUntilMs = this.#link.pause.untilMs;
        if (nowMs < pausedUntilMs)
            return pausedUntilMs;
        if (leasedMs !== undefined)
            return nowMs + leasedMs;
        return outage?.mode === 'local'
            ? nowMs + outage.local.headWaitMs(first, nowMs)
            : Number.POSITIVE_INFINITY;
    }
    /** Tokens that were not leased cannot be given back to the store. */
    settle(surplusTokens, held, nowMs) {
        const surplus = Math.trunc(surplusTokens * 1e6);
        const { outage } = this.#link;
        if (surplus > 0 && held !== undefined)
            this.#giveBack(surplus, held);
        else if (surplus < 0 && outage?.mode === 'local')
            outage.local.charge(-surplus, nowMs);
        else if (surplus < 0)
            this.#refunds.owe(-surplus);
        this.#lookAfter(nowMs);
    }
    pause(untilMs, nowMs) {
        this.#link.pause.begin(Math.min(untilMs, nowMs + LONGEST_PAUSE_MS), nowMs);
        this.#lookAfter(nowMs);
    }
    resume(nowMs) {
        this.#link.pause.end(nowMs);
    }
    /** By default after a short delay, so that one call gives back for many requests. */
    #giveBack(amount, held, dueMs = this.#time.now() + this.#setup.aheadMs) {
        this.#leaser.plan.returned(amount);
        this.#refunds.add(amount, held, dueMs);
    }
    #giveAllBack() {
        for (const { left, state } of this.#pool.clear())
            this.#giveBack(left, state);
    }
    /** Gives back expired tokens, unless the rest of what the first request needs is on its way. */
    #expire(first, nowMs) {
        if (first > 0 && this.#leaser.isLeasing)
            return;
        if (first === 0)
            this.#pool.shortenExpiry(this.#setup.aheadMs, nowMs);
        for (const { left, state } of this.#pool.expire(nowMs))
            this.#giveBack(left, state);
    }
    /** Does what is due, and sets the timer for what is due next. */
    #lookAfter(nowMs) {
        if (this.#link.isClosed)
            return;
        const wasLost = this.#link.outage !== undefined;
        const { firstCost, totalCost, count } = this.#backlog();
        this.#expire(firstCost, nowMs);
        // Each cost is rounded up by itself, so their sum may exceed `totalCost` by less than `count`.
        const farMs = nowMs + this.#setup.aheadMs;
        for (const { left, state } of this.#pool.trim(totalCost + count, farMs))
            this.#giveBack(left, state, nowMs);
        this.#link.check(nowMs);
        if (this.#link.outage === undefined) {
            if (wasLost)
                this.#leaser.plan.forgetRefusal();
            this.#refunds.flush(nowMs);
        }
        this.#timer.set(this.#nextMs(nowMs));
    }
    /** Whether a request waits and the store was last asked too long ago. */
    #isStale(nowMs) {
        const { outage, calledAtMs } = this.#link;
        const isKnown = outage !== undefined || this.#leaser.isLeasing || this.#backlog().firstCost === 0;
        return !isKnown && nowMs >= calledAtMs && nowMs >= this.#staleAtMs(nowMs);
    }
    #staleAtMs(nowMs) {
        const { firstCost } = this.#backlog();
        const dueMs = nowMs + (this.#pool.waitMs(firstCost, nowMs) ?? Number.POSITIVE_INFINITY);
        return staleAtMs(this.#link.calledAtMs, dueMs);
    }
    #nextMs(nowMs) {
        const waiting = this.#backlog().firstCost > 0;
        const keeps = waiting && this.#leaser.isLeasing;
        const endMs = keeps ? Number.POSITIVE_INFINITY : this.#pool.nextExpiryMs;
        if (this.#link.outage !== undefined)
            return Math.min(endMs, this.#link.nextCheckMs(waiting, nowMs));
        const nextMs = Math.min(endMs, this.#refunds.dueMs);
        if (!waiting)
            return nextMs;
        // The lease that is about to be made may turn out not to be needed.
        const staleMs = this.#leaser.isLeasing ? nowMs + FRESH_MS : this.#staleAtMs(nowMs);
        return Math.min(nextMs, staleMs, this.#leaser.plan.retryAtMs(nowMs));
    }
    /** Gives everything back. Never rejects, and ends within the store's time limit. */
    async close() {
        if (!this.#link.isClosed) {
            this.#link.close();
            this.#timer.set(Number.POSITIVE_INFINITY);
        }
        await this.#leaser.leasing;
        await this.#link.pause.settled();
        this.#giveAllBack();
        if (this.#link.outage === undefined)
            this.#refunds.flush(Number.POSITIVE_INFINITY);
        await this.#refunds.settled();
    }
}
exports.FleetTokens = FleetTokens;
//# sourceMappingURL=fleet-tokens.js.map