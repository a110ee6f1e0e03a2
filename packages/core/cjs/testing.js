"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.virtualClock = virtualClock;
exports.seededRandom = seededRandom;
const clock_ts_1 = require("./base/clock.js");
const settling_ts_1 = require("./base/settling.js");
const sleep_ts_1 = require("./base/sleep.js");
const heap_ts_1 = require("./limits/queue/heap.js");
function isEarlier(one, other) {
    return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
/** 2026-01-01T00:00:00Z, in milliseconds since the epoch. */
const START_MS = 1_767_225_600_000;
/**
 * A {@link Clock} for tests: a day of backoff takes no time, and is exact to the millisecond. It starts at the same date in
 * each run.
 */
function virtualClock({ startMs = START_MS } = {}) {
    let nowMs = startMs;
    let scheduled = 0;
    const entries = new heap_ts_1.Heap(isEarlier);
    /** Removes the next entry that is due by `untilMs`, and sets the time to it. */
    const takeDue = (untilMs) => {
        const next = entries.first;
        if (next === undefined || next.atMs > untilMs)
            return undefined;
        entries.remove(next);
        nowMs = Math.max(nowMs, next.atMs);
        settling.changed();
        return next;
    };
    const clock = {
        now: () => nowMs,
        get elapsedMs() {
            return nowMs - startMs;
        },
        get pending() {
            return entries.size;
        },
        get nextAtMs() {
            return entries.first?.atMs;
        },
        schedule(wake, delayMs, _inBackground, isWait = false) {
            scheduled += 1;
            const atMs = nowMs + Math.max(0, delayMs);
            const entry = { atMs, order: scheduled, wake, isWait, heapIndex: -1 };
            entries.add(entry);
            settling.changed();
            return () => {
                entries.remove(entry);
                settling.changed();
            };
        },
        async advance(durationMs) {
            const untilMs = nowMs + durationMs;
            await (0, clock_ts_1.nextTurn)();
            for (let due = takeDue(untilMs); due !== undefined; due = takeDue(untilMs)) {
                due.wake();
                await (0, clock_ts_1.nextTurn)();
            }
            nowMs = Math.max(nowMs, untilMs);
        },
        tick(durationMs) {
            const untilMs = nowMs + durationMs;
            for (let due = takeDue(untilMs); due !== undefined; due = takeDue(untilMs))
                due.wake();
            nowMs = Math.max(nowMs, untilMs);
        },
        sleep: (durationMs) => (0, sleep_ts_1.sleep)(clock, durationMs),
        runUntilSettled: (promise, options = {}) => settling.run(promise, options),
    };
    const settling = new settling_ts_1.Settling({
        now: clock.now,
        get elapsedMs() {
            return nowMs - startMs;
        },
        get pending() {
            return entries.size;
        },
        next: () => entries.first,
        callNext: () => takeDue(Number.MAX_VALUE)?.wake(),
    });
    return clock;
}
/**
 * Pseudo-random numbers that are the same for the same seed. Not for secrets.
 *
 * Source: Mulberry32, with 32 bits of state.
 */
function seededRandom(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}
//# sourceMappingURL=testing.js.map