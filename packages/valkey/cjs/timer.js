"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Timer = void 0;
/**
 * The shortest delay, in milliseconds. Times are sums of fractions: a timer for less than the clock can measure would
 * fire again and again at the same time.
 */
const SHORTEST_MS = 1e-3;
/** One timer for everything that is due at some time. */
class Timer {
    #time;
    #onDue;
    #atMs = Number.POSITIVE_INFINITY;
    #stop = () => { };
    constructor(time, onDue) {
        this.#time = time;
        this.#onDue = onDue;
    }
    /** Fires at `atMs`, or earlier if it was set to an earlier time; `onDue` must set it again. `Infinity` stops it. */
    set(atMs) {
        if (atMs >= this.#atMs && atMs !== Number.POSITIVE_INFINITY)
            return;
        this.#stop();
        this.#atMs = atMs;
        if (atMs === Number.POSITIVE_INFINITY)
            return;
        const delayMs = Math.max(SHORTEST_MS, atMs - this.#time.now());
        this.#stop = this.#time.clock.schedule(() => {
            this.#atMs = Number.POSITIVE_INFINITY;
            this.#onDue(this.#time.now());
        }, delayMs);
    }
}
exports.Timer = Timer;
//# sourceMappingURL=timer.js.map