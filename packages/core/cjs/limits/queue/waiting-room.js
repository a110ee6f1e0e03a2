"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WaitingRoom = void 0;
const check_ts_1 = require("../../base/check.js");
const clock_ts_1 = require("../../base/clock.js");
const errors_ts_1 = require("../../base/errors.js");
const waiting_line_ts_1 = require("./waiting-line.js");
/** Work in one turn of the event loop, in microseconds: a long queue that is served all at once must not block the program. */
const SLICE = 10_000;
/** What a grant costs in microseconds: its request is sent in the same turn. */
const GRANT = 100;
/** What a refusal costs in microseconds: an error captures a stack trace. */
const REFUSAL = 20;
/** What the end of an aborted request costs in microseconds. */
const ABORT = 10;
/** How many waiters can be inspected in a microsecond. */
const LOOKS = 2;
/** Rounding error that is allowed in times, and the shortest timer. */
const TOLERANCE_MS = 1e-3;
/**
 * A queue with limits, deadlines, priorities and aborts, and one timer for all of it. Its owner decides when the first
 * request may go, in {@link serve}.
 */
class WaitingRoom {
    /** Requests refused so far, aborted ones not included. */
    refused = 0;
    #line;
    #setup;
    #time;
    #onWake;
    /** When the timer fires; `Infinity` without a timer. */
    #timerAtMs = Number.POSITIVE_INFINITY;
    #stopTimer = () => { };
    /** What the timer was set with. */
    #timersId;
    #armedOn;
    /** Waiters with a deadline up to this time are being refused, a slice per turn. */
    #lateUntilMs = Number.NEGATIVE_INFINITY;
    /** The largest cost that can be granted. While `#isSearching`, the queue is searched for larger ones. */
    #mostCost = Number.POSITIVE_INFINITY;
    #isSearching = false;
    /** The last slice ended before the queue did: more may go now, whatever the owner knows of it. */
    #isCutShort = false;
    /** Why the whole queue is being refused; `undefined` if it is not. */
    #dismissal;
    /** @param onWake called when the first in the queue may have to be served */
    constructor(setup, time, onWake) {
        this.#setup = setup;
        this.#time = time;
        this.#onWake = onWake;
        // A step of priority is two lanes, one of them for retries.
        this.#line = new waiting_line_ts_1.WaitingLine(setup.agingMs / 2, () => this.#endAborted(), setup.tally);
    }
    /** Ends those whose signal has aborted, a slice in each turn, also while a virtual clock stands still. */
    #endAborted() {
        this.#onWake();
        if (this.#line.hasAborted)
            (0, clock_ts_1.inNextTurn)(() => this.#endAborted());
    }
    /** How many wait. */
    get size() {
        return this.#line.size;
    }
    /** The sum of all costs in the queue. */
    get cost() {
        return this.#line.cost;
    }
    /** The cost of the first; 0 for an empty queue. */
    get firstCost() {
        return this.#line.peek()?.cost ?? 0;
    }
    /** The deadline of the first, in milliseconds of the room's time; `Infinity` if it has none. */
    get firstDeadlineMs() {
        const first = this.#line.peek();
        return first === undefined ? Number.POSITIVE_INFINITY : (0, waiting_line_ts_1.deadlineOf)(first);
    }
    /** The costs of the first and of those behind it in its lane. */
    costsInTurn() {
        return this.#line.costsInTurn();
    }
    /** Whether a request of this lane would be the first to go. */
    goesFirst(lane, { waitedMs = 0 }, nowMs) {
        return this.#line.goesFirst(lane, nowMs - waitedMs);
    }
    /**
     * The lane that a request waits in.
     * @throws TypeError, RangeError for a wrong option
     */
    laneFor({ maxWaitMs, priority, retry, waitedMs }) {
        if (waitedMs !== undefined)
            (0, check_ts_1.notNegative)('acquire: waitedMs', waitedMs);
        if (maxWaitMs !== undefined)
            (0, check_ts_1.notNegative)('acquire: maxWaitMs', maxWaitMs);
        if (priority !== undefined)
            (0, check_ts_1.checkPriority)('acquire: priority', priority);
        if (retry !== undefined)
            (0, check_ts_1.flag)('acquire: retry', retry);
        return (0, waiting_line_ts_1.laneOf)(priority ?? 0, retry ?? false);
    }
    #patienceMs({ maxWaitMs = Number.POSITIVE_INFINITY }) {
        return Math.min(maxWaitMs, this.#setup.maxWaitMs);
    }
    /**
     * The cost of everything that goes before a new request of this lane, if none of it leaves. A lower bound for a
     * request without a deadline, which needs no exact estimate: counting could take long.
     */
    costAhead(options, lane, nowMs) {
        // What is left of an aborted crowd counts no more, and is gone before the request has its turn.
        if (this.#line.hasAborted)
            return 0;
        const { waitedMs } = options;
        if (waitedMs !== undefined)
            return this.#line.costBefore(lane, nowMs - waitedMs);
        const isPatient = this.#patienceMs(options) === Number.POSITIVE_INFINITY;
        return isPatient ? this.#line.leastCostAhead(lane) : this.#line.costAhead(lane, nowMs);
    }
    /**
     * Puts a request into the queue.
     *
     * @param waitMs how long until its turn comes, at least; `undefined` if that is unknown
     * @throws ThrottledError if the wait is too long, or the queue is full
     */
    join(options, lane, cost, waitMs, nowMs) {
        const patienceMs = this.#patienceMs(options);
        if (patienceMs === 0 || (waitMs ?? 0) > patienceMs + TOLERANCE_MS) {
            throw this.refusal('wait-too-long', `its turn would not come within ${patienceMs} ms`, waitMs);
        }
        const isNew = options.waitedMs === undefined;
        const isFull = isNew && this.#line.size >= this.#setup.maxQueue && !this.#line.endAborted();
        if (isFull)
            this.#makeRoom(lane, waitMs);
        const sinceMs = nowMs - (options.waitedMs ?? 0);
        return this.#line.join(lane, cost, sinceMs, nowMs + patienceMs, options.signal);
    }
    #makeRoom(lane, waitMs) {
        const { maxQueue, overflow } = this.#setup;
        let displaced;
        if (overflow === 'drop-lowest')
            displaced = this.#line.popBelow(lane);
        else if (overflow === 'drop-oldest')
            displaced = this.#line.shiftOldest();
        const full = `the queue is full (maxQueue ${maxQueue})`;
        if (displaced === undefined)
            throw this.refusal('queue-full', full, waitMs);
        this.#refuse(displaced, 'displaced', `${full}, and another request took its place`);
    }
    /** The error for a refused request, which is counted. */
    refusal(reason, message, waitMs, cause) {
        this.refused += 1;
        return new errors_ts_1.ThrottledError(`Not sent: ${message}`, waitMs, {
            reason,
            ...(cause !== undefined && { cause }),
        });
    }
    /** Refuses a request that has left the queue. */
    #refuse(waiter, reason, message) {
        waiter.resolve(Promise.reject(this.refusal(reason, message)));
    }
    /**
     * Serves the first in the queue, one after the other, until `grant` returns `undefined`; what it returns is the
     * result of that request. Before that, refuses requests that are late or cost too much, and after it those
     * whose deadline is now. Does one slice; {@link arm} sets the timer for the next.
     *
     * @param grant takes the cost and how long the request has waited, in milliseconds
     */
    serve(nowMs, grant) {
        let left = this.#sendAway(nowMs - TOLERANCE_MS, SLICE);
        for (; left > 0; left -= GRANT) {
            const first = this.#line.peek();
            if (first === undefined)
                break;
            const result = grant(first.cost, Math.max(0, nowMs - first.sinceMs));
            if (result === undefined)
                break;
            this.#line.shift();
            first.resolve(result);
        }
        this.#isCutShort = left <= 0;
        if (left > 0)
            this.#sendAway(nowMs + TOLERANCE_MS, left);
    }
    /** Refuses requests with a deadline up to `untilMs`. Call {@link arm} after it. */
    giveUp(untilMs) {
        this.#sendAway(untilMs, SLICE);
    }
    /** A pause ended early: requests whose deadlines lay in it need not be refused any more. */
    pauseEnded() {
        this.#lateUntilMs = Number.NEGATIVE_INFINITY;
    }
    /**
     * Sets the largest cost that can be granted. The next {@link serve} refuses larger ones, wherever they stand in the
     * queue.
     */
    limitCost(most) {
        if (most < this.#mostCost && this.#line.size > 0) {
            this.#line.startSearch();
            this.#isSearching = true;
        }
        this.#mostCost = most;
    }
    /** Refuses everything in the queue, now and later. Call {@link arm} after it. */
    dismiss(reason, message) {
        this.#dismissal = [reason, message];
        this.#sendAway(Number.NEGATIVE_INFINITY, SLICE);
    }
    /** Resolves when the queue is empty. It may be for a moment only: a displaced request is replaced at once. */
    async idle() {
        if (this.#line.size > 0)
            await new Promise((resolve) => this.#line.onceEmpty(resolve));
    }
    /** Refuses what cannot be served, for `most` microseconds, and returns how much of that is left. */
    #sendAway(lateUntilMs, most) {
        this.#lateUntilMs = Math.max(this.#lateUntilMs, lateUntilMs);
        const looks = { left: most * LOOKS };
        while (looks.left > 0 && this.#line.endAborted())
            looks.left -= ABORT * LOOKS;
        while (looks.left > 0) {
            const next = this.#nextToRefuse(looks);
            if (next === undefined)
                break;
            this.#refuse(...next);
            looks.left -= REFUSAL * LOOKS;
        }
        return looks.left / LOOKS;
    }
    #nextToRefuse(looks) {
        const dismissed = this.#dismissal && this.#line.shift();
        if (dismissed !== undefined)
            return [dismissed, ...this.#dismissal];
        const late = this.#line.shiftExpired(this.#lateUntilMs);
        if (late !== undefined)
            return [late, 'wait-too-long', 'its turn does not come in time'];
        this.#lateUntilMs = Number.NEGATIVE_INFINITY;
        const large = this.#isSearching ? this.#line.shiftAbove(this.#mostCost, looks) : undefined;
        if (large !== undefined) {
            const message = `it costs ${large.cost} tokens, and the capacity is now ${this.#mostCost}`;
            return [large, 'capacity-lowered', message];
        }
        if (looks.left > 0)
            this.#isSearching = false;
        return undefined;
    }
    /** Whether work is left from the last slice. */
    get #isBehind() {
        const isRefusing = this.#isSearching || this.#lateUntilMs > Number.NEGATIVE_INFINITY;
        return isRefusing || this.#isCutShort || this.#dismissal !== undefined;
    }
    /**
     * Sets the timer for the first deadline, or for `firstAtMs` if that is earlier; stops it if the queue is empty.
     *
     * @param firstAtMs when the first in the queue is to be served
     */
    arm(nowMs, firstAtMs) {
        const waiting = this.#line.size > 0;
        let atMs = this.#isBehind ? nowMs : Math.min(firstAtMs, this.#line.nextDeadlineMs);
        atMs = waiting ? Math.max(atMs, nowMs + TOLERANCE_MS) : Number.POSITIVE_INFINITY;
        // A timer that fires earlier is kept: it calls `onWake`, which arms again. One of fakes that are gone may never fire.
        const isKept = this.#timersId === (0, clock_ts_1.timersId)() && this.#armedOn === this.#time.clock;
        if (waiting && this.#timerAtMs <= atMs && isKept)
            return;
        this.#stopTimer();
        this.#timerAtMs = atMs;
        if (atMs === Number.POSITIVE_INFINITY)
            return;
        const onTime = () => {
            this.#timerAtMs = Number.POSITIVE_INFINITY;
            this.#onWake();
        };
        this.#timersId = (0, clock_ts_1.timersId)();
        this.#armedOn = this.#time.clock;
        this.#stopTimer = this.#time.clock.schedule(onTime, atMs - nowMs, false, true);
    }
}
exports.WaitingRoom = WaitingRoom;
//# sourceMappingURL=waiting-room.js.map