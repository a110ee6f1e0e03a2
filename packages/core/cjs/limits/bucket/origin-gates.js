"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.OriginGates = void 0;
const warn_ts_1 = require("../../base/warn.js");
const origin_ts_1 = require("../../http/origin.js");
const heap_ts_1 = require("../queue/heap.js");
/**
 * The most origins whose pauses are remembered, those with waiting requests apart: about 2 MB. Beyond it the pause that ends
 * first goes, which loses the least time, and a warning says so.
 */
const MOST_ORIGINS = 10_000;
/** How many are looked at in one call. */
const LOOKS = 100;
/**
 * A bucket for each origin that asked for a pause: closed for that time, empty when it opens, and dropped when it is full
 * again. What a server says of its quota holds for its own origin; others that share the tokens go on.
 */
class OriginGates {
    #behind;
    #pauses = new Map();
    /** By when they are to be looked at. */
    #next = new heap_ts_1.Heap((one, other) => one.lookAtMs < other.lookAtMs);
    /** The end of the longest pause. It never gets shorter before {@link resume}. */
    #longestUntilMs = Number.NEGATIVE_INFINITY;
    #waiting;
    #most;
    #closed;
    #hasWarned = false;
    /** @param waiting counts the requests at all gates, which add and subtract themselves */
    constructor(behind, waiting = { waiting: 0 }, most = MOST_ORIGINS) {
        this.#behind = behind;
        this.#waiting = waiting;
        this.#most = most;
    }
    /** Pauses an origin. Never shortens a pause. */
    pause(origin, durationMs) {
        const nowMs = this.#behind.now();
        this.#tidy(nowMs);
        const untilMs = nowMs + durationMs;
        this.#longestUntilMs = Math.max(this.#longestUntilMs, untilMs);
        const known = this.#pauses.get(origin);
        if (known === undefined) {
            if (this.#pauses.size >= this.#most)
                this.#makeRoom(nowMs);
            const pause = { origin, untilMs, lookAtMs: untilMs + this.#fillMs, gate: undefined, heapIndex: -1 };
            this.#pauses.set(origin, pause);
            this.#next.add(pause);
            return;
        }
        known.untilMs = Math.max(known.untilMs, untilMs);
        known.gate?.pauseFor(durationMs);
    }
    /** How long a gate takes to fill, in milliseconds. */
    get #fillMs() {
        const { capacity, refillPerSecond } = this.#behind.rate();
        return (capacity / refillPerSecond) * 1_000;
    }
    /** The gate of a request's origin. Usually there is none, and the URL is not parsed. */
    for(request) {
        if (this.#pauses.size === 0)
            return undefined;
        const pause = this.#pauses.get((0, origin_ts_1.originOf)(request));
        if (pause === undefined)
            return undefined;
        const nowMs = this.#behind.now();
        if (this.#isIdle(pause, nowMs)) {
            this.#drop(pause);
            return undefined;
        }
        pause.gate ??= this.#makeGate(pause, nowMs);
        return pause.gate;
    }
    #makeGate({ untilMs }, nowMs) {
        const { capacity, refillPerSecond } = this.#behind.rate();
        const openMs = Math.max(0, nowMs - untilMs);
        const gate = this.#behind.make(Math.min(capacity, (openMs * refillPerSecond) / 1_000));
        if (untilMs > nowMs)
            gate.pauseFor(untilMs - nowMs);
        if (this.#closed !== undefined)
            void gate.close(this.#closed);
        return gate;
    }
    /** All gates that were made. */
    *all() {
        for (const { gate } of this.#pauses.values())
            if (gate !== undefined)
                yield gate;
    }
    /** Ends the pauses of all gates. */
    resume() {
        const nowMs = this.#behind.now();
        this.#longestUntilMs = Number.NEGATIVE_INFINITY;
        this.#next = new heap_ts_1.Heap((one, other) => one.lookAtMs < other.lookAtMs);
        for (const pause of this.#pauses.values()) {
            pause.gate?.resume();
            pause.untilMs = Math.min(pause.untilMs, nowMs);
            pause.lookAtMs = pause.untilMs + this.#fillMs;
            this.#next.add(pause);
        }
    }
    /** Closes all gates for good, and those that are made later. */
    close(options) {
        this.#closed = options;
        for (const gate of this.all())
            void gate.close(options);
    }
    /** Resolves when no request waits at a gate: with `true` if one did. */
    async idle() {
        if (this.#waiting.waiting === 0)
            return false;
        const busy = [...this.all()].filter((gate) => gate.stats().waiting > 0);
        await Promise.all(busy.map((gate) => gate.idle()));
        return busy.length > 0;
    }
    /** How many gates are closed or not full yet, the longest pause in milliseconds, and how many requests wait at them. */
    stats() {
        const nowMs = this.#behind.now();
        this.#tidy(nowMs);
        const pausedMs = Math.max(0, this.#longestUntilMs - nowMs);
        return { count: this.#pauses.size, pausedMs, waiting: this.#waiting.waiting };
    }
    #isIdle({ untilMs, gate }, nowMs) {
        return gate === undefined ? nowMs >= untilMs + this.#fillMs : gate.stats().idle;
    }
    #drop(pause) {
        this.#pauses.delete(pause.origin);
        this.#next.remove(pause);
    }
    #lookLater(pause, atMs) {
        this.#next.remove(pause);
        pause.lookAtMs = atMs;
        this.#next.add(pause);
    }
    /** Drops those that are full again. Each is looked at when it may be: never all at once. */
    #tidy(nowMs) {
        for (let looks = 0; looks < LOOKS; looks += 1) {
            const first = this.#next.first;
            if (first === undefined || first.lookAtMs > nowMs)
                return;
            if (this.#isIdle(first, nowMs))
                this.#drop(first);
            else
                this.#lookLater(first, Math.max(first.untilMs, nowMs) + this.#fillMs);
        }
    }
    /** Forgets the pause that ends first and that no one waits for. */
    #makeRoom(nowMs) {
        for (let looks = 0; looks < LOOKS; looks += 1) {
            const first = this.#next.first;
            if (first === undefined)
                return;
            if (first.gate === undefined || first.gate.stats().waiting === 0) {
                this.#drop(first);
                if (!this.#hasWarned)
                    (0, warn_ts_1.warn)(`More than ${this.#most} origins of one bucket have asked for a pause: the first to end is forgotten`);
                this.#hasWarned = true;
                return;
            }
            // Behind all others, so that the next call does not look at it again.
            this.#lookLater(first, Math.max(this.#longestUntilMs, first.untilMs, nowMs) + this.#fillMs + 1);
        }
    }
}
exports.OriginGates = OriginGates;
//# sourceMappingURL=origin-gates.js.map