"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WaitingLine = void 0;
exports.deadlineOf = deadlineOf;
exports.laneOf = laneOf;
const check_ts_1 = require("../../base/check.js");
const on_abort_ts_1 = require("../../base/on-abort.js");
const signal_watch_ts_1 = require("../../base/signal-watch.js");
const heap_ts_1 = require("./heap.js");
const lane_ts_1 = require("./lane.js");
function watchOf({ bound }) {
    return bound instanceof signal_watch_ts_1.SignalWatch ? bound : bound?.watch;
}
/** The deadline of a waiter, in milliseconds of the bucket's time; `Infinity` if it has none. */
function deadlineOf({ bound }) {
    return bound === undefined || bound instanceof signal_watch_ts_1.SignalWatch ? Number.POSITIVE_INFINITY : bound.atMs;
}
/** The lane of a request: each priority has two, the higher one for retries. */
function laneOf(priority, retry) {
    return (priority + check_ts_1.HIGHEST_PRIORITY) * 2 + (retry ? 1 : 0);
}
function isEarlier(one, other) {
    return one.atMs < other.atMs;
}
function lowestBit(mask) {
    return 31 - Math.clz32(mask & -mask);
}
/**
 * A queue with priorities: first in, first out within a lane. Each lane is worth a head start over the lane below it, so
 * that a low priority waits longer but is never starved.
 */
class WaitingLine {
    size = 0;
    #lanes = [];
    /** A bit for each lane that is not empty. */
    #occupied = 0;
    #headStartMs;
    #tally;
    #deadlines = new heap_ts_1.Heap(isEarlier);
    /** Made for the first signal. */
    #watches;
    #onAbort;
    #aborted = [];
    #onEmpty = [];
    /**
     * @param headStartMs what a lane is worth over the lane below it, in milliseconds
     * @param onAbort called when a signal has aborted: its waiters are ended by {@link endAborted}
     * @param tally counts the waiters of several lines
     */
    constructor(headStartMs, onAbort, tally) {
        this.#tally = tally;
        this.#headStartMs = headStartMs;
        this.#onAbort = onAbort;
    }
    /** The sum of all costs. */
    get cost() {
        return this.#costFrom(0);
    }
    #costFrom(lane) {
        let cost = 0;
        for (let mask = this.#occupied & (-1 << lane); mask !== 0; mask &= mask - 1) {
            cost += this.#lanes[lowestBit(mask)]?.cost ?? 0;
        }
        return cost;
    }
    /**
     * The cost of everything that goes before a new waiter of this lane, if none of it leaves: its own lane, higher lanes,
     * and in lower lanes what has waited longer than the head start. Takes time for each of the latter.
     */
    costAhead(lane, nowMs) {
        let cost = this.#costFrom(lane);
        for (let mask = this.#occupied & ~(-1 << lane); mask !== 0; mask &= mask - 1) {
            const lower = lowestBit(mask);
            const beforeMs = Math.round(nowMs) - (lane - lower) * this.#headStartMs;
            const { first, last, cost: all } = this.#lanes[lower];
            if (last !== undefined && last.sinceMs < beforeMs) {
                cost += all;
                continue;
            }
            for (let aged = first; aged !== undefined && aged.sinceMs < beforeMs; aged = aged.next) {
                cost += aged.cost;
            }
        }
        return cost;
    }
    /** A lower bound of {@link costAhead}, without lower lanes, in constant time. */
    leastCostAhead(lane) {
        return this.#costFrom(lane);
    }
    /** The lane of the next waiter to go; -1 if there is none. */
    #laneInTurn() {
        let best = -1;
        let bestKey = Number.POSITIVE_INFINITY;
        for (let mask = this.#occupied; mask !== 0; mask &= mask - 1) {
            const lane = lowestBit(mask);
            const key = (this.#lanes[lane]?.first?.sinceMs ?? 0) - lane * this.#headStartMs;
            if (key <= bestKey) {
                best = lane;
                bestKey = key;
            }
        }
        return best;
    }
    /**
     * The cost of what goes before a waiter of this lane that keeps its place, in higher lanes and in its own. Takes time for
     * each member of the latter.
     */
    costBefore(lane, sinceMs) {
        let cost = this.#costFrom(lane + 1);
        for (let one = this.#lanes[lane]?.first; one !== undefined && one.sinceMs <= sinceMs; one = one.next) {
            cost += one.cost;
        }
        return cost;
    }
    /** Whether a waiter of this lane would be the next to go, if it has waited since `sinceMs`. */
    goesFirst(lane, sinceMs) {
        if (this.size === 0)
            return true;
        const rival = this.#laneInTurn();
        const rivalSinceMs = this.#lanes[rival]?.first?.sinceMs ?? 0;
        const headStartMs = Math.round(sinceMs) - (lane - rival) * this.#headStartMs - rivalSinceMs;
        return headStartMs < 0 || (headStartMs === 0 && rival < lane);
    }
    /** The next waiter to go. */
    peek() {
        return this.#lanes[this.#laneInTurn()]?.first;
    }
    /** The costs of the next waiter and of those behind it in its lane. */
    *costsInTurn() {
        for (let waiter = this.peek(); waiter !== undefined; waiter = waiter.next)
            yield waiter.cost;
    }
    /** Removes and returns the next waiter to go. */
    shift() {
        const lane = this.#laneInTurn();
        const waiter = this.#lanes[lane]?.first;
        if (waiter !== undefined)
            this.#remove(waiter, lane);
        return waiter;
    }
    /** Removes and returns the last waiter of the lowest lane, if that is lower than `lane`. */
    popBelow(lane) {
        const lowest = lowestBit(this.#occupied);
        const waiter = lowest < lane ? this.#lanes[lowest]?.last : undefined;
        if (waiter !== undefined)
            this.#remove(waiter, lowest);
        return waiter;
    }
    /** Removes and returns the waiter that has waited longest. */
    shiftOldest() {
        let oldest = -1;
        for (let mask = this.#occupied; mask !== 0; mask &= mask - 1) {
            const lane = lowestBit(mask);
            const sinceMs = this.#lanes[lane]?.first?.sinceMs ?? 0;
            if (oldest < 0 || sinceMs < (this.#lanes[oldest]?.first?.sinceMs ?? 0))
                oldest = lane;
        }
        const waiter = this.#lanes[oldest]?.first;
        if (waiter !== undefined)
            this.#remove(waiter, oldest);
        return waiter;
    }
    /** The earliest deadline; `Infinity` if there is none. */
    get nextDeadlineMs() {
        return this.#deadlines.first?.atMs ?? Number.POSITIVE_INFINITY;
    }
    /** Removes and returns a waiter whose deadline is `nowMs` or earlier. */
    shiftExpired(nowMs) {
        const due = this.#deadlines.first;
        if (due === undefined || due.atMs > nowMs)
            return undefined;
        this.#remove(due.waiter, due.lane);
        return due.waiter;
    }
    /** Starts a search of the whole queue with {@link shiftAbove}. */
    startSearch() {
        for (const lane of this.#lanes)
            lane.searchAt = lane.first;
    }
    /** Inspects up to `looks.left` waiters; removes and returns the first that costs more than `cost`. */
    shiftAbove(cost, looks) {
        for (let lane = this.#lanes.length - 1; lane >= 0; lane -= 1) {
            const list = this.#laneAt(lane);
            for (let one = list.searchAt; one !== undefined && looks.left > 0; one = list.searchAt) {
                looks.left -= 1;
                list.searchAt = one.next;
                if (one.cost <= cost)
                    continue;
                this.#remove(one, lane);
                return one;
            }
        }
        return undefined;
    }
    /** Calls `callback` once, when the queue becomes empty. */
    onceEmpty(callback) {
        this.#onEmpty.push(callback);
    }
    /** @param since when it began to wait; earlier than now for a waiter that keeps its place */
    join(lane, cost, since, deadlineMs, signal) {
        return new Promise((resolve) => {
            const sinceMs = Math.round(since);
            const watch = signal && this.#watchOf(signal);
            const waiter = {
                resolve,
                cost,
                sinceMs,
                next: undefined,
                previous: undefined,
                bound: watch,
            };
            this.#addTo(this.#laneAt(lane), waiter);
            this.size += 1;
            if (this.#tally !== undefined)
                this.#tally.waiting += 1;
            this.#occupied |= 1 << lane;
            watch?.add(waiter, lane);
            if (deadlineMs === Number.POSITIVE_INFINITY)
                return;
            const deadline = { waiter, lane, atMs: deadlineMs, watch, heapIndex: -1 };
            waiter.bound = deadline;
            this.#deadlines.add(deadline);
        });
    }
    #addTo(lane, waiter) {
        const { sinceMs } = waiter;
        if (lane.last === undefined || lane.last.sinceMs <= sinceMs) {
            lane.push(waiter);
            return;
        }
        // It keeps its place, which is near the front.
        let next = lane.first;
        while (next.sinceMs <= sinceMs)
            next = next.next;
        lane.insert(waiter, next);
    }
    #laneAt(lane) {
        // Filled from the start: V8 reads arrays with holes slowly.
        while (this.#lanes.length <= lane)
            this.#lanes.push(new lane_ts_1.Lane());
        return this.#lanes[lane];
    }
    #remove(waiter, lane) {
        const list = this.#laneAt(lane);
        list.remove(waiter);
        if (list.first === undefined)
            this.#occupied &= ~(1 << lane);
        this.size -= 1;
        if (this.#tally !== undefined)
            this.#tally.waiting -= 1;
        if (this.size === 0 && this.#onEmpty.length > 0)
            this.#tellEmpty();
        const { bound } = waiter;
        if (bound === undefined)
            return;
        const watch = watchOf(waiter);
        waiter.bound = undefined;
        watch?.left();
        if (!(bound instanceof signal_watch_ts_1.SignalWatch))
            this.#deadlines.remove(bound);
    }
    #tellEmpty() {
        const callbacks = this.#onEmpty;
        this.#onEmpty = [];
        for (const callback of callbacks)
            callback();
    }
    #watchOf(signal) {
        this.#watches ??= new Map();
        let watch = this.#watches.get(signal);
        if (watch === undefined) {
            watch = new signal_watch_ts_1.SignalWatch((end) => (0, on_abort_ts_1.onAbort)(signal, end), (one, own) => watchOf(one) === own, (ended) => this.#endWatch(signal, ended));
            this.#watches.set(signal, watch);
        }
        return watch;
    }
    /** The signal has aborted, or its last waiter has left. */
    #endWatch(signal, watch) {
        this.#watches?.delete(signal);
        if (!watch.isEmpty) {
            this.#aborted.push({ members: watch.members(), reason: signal.reason, rejected: undefined });
            this.#onAbort();
        }
    }
    /** True while waiters of an aborted signal are left: see {@link endAborted}. */
    get hasAborted() {
        return this.#aborted.length > 0;
    }
    /** Removes and rejects a waiter whose signal has aborted; false if there is none. */
    endAborted() {
        for (let first = this.#aborted[0]; first !== undefined; first = this.#aborted[0]) {
            const { value: member } = first.members.next();
            if (member !== undefined) {
                const [waiter, lane] = member;
                first.rejected ??= Promise.reject(first.reason);
                this.#remove(waiter, lane);
                waiter.resolve(first.rejected);
                return true;
            }
            this.#aborted.shift();
        }
        return false;
    }
}
exports.WaitingLine = WaitingLine;
//# sourceMappingURL=waiting-line.js.map