"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Measures = void 0;
const histogram_ts_1 = require("./histogram.js");
/** The columns that count something in every interval, in this order. */
const COUNTED = [
    'requests',
    'sends',
    'successes',
    'failures',
    'unavailable',
    'refused',
    'timeouts',
    'throttled429',
    'throttledLocally',
    'lateAnswers',
];
/** The counters of a run, by interval. */
class Measures {
    series;
    /** How long successful requests took, with all retries and waits. */
    latency = new histogram_ts_1.Histogram();
    /** How long attempts waited for a token of their client. */
    tokenWait = new histogram_ts_1.Histogram();
    #interval = 0;
    constructor(intervals) {
        const names = [...COUNTED, 'queue', 'busy', 'underWay'];
        this.series = Object.fromEntries(names.map((name) => [name, new Float64Array(intervals)]));
    }
    /** Adds one to a column of the {@link series}. */
    count(counts) {
        counts[this.#interval] = counts[this.#interval] + 1;
    }
    /** Ends the interval with the numbers that are read at its end. */
    close(queue, busy, underWay) {
        this.series.queue[this.#interval] = queue;
        this.series.busy[this.#interval] = busy;
        this.series.underWay[this.#interval] = underWay;
        this.#interval += 1;
    }
    get totals() {
        const sums = COUNTED.map((name) => [name, this.series[name].reduce((sum, count) => sum + count, 0)]);
        return Object.fromEntries(sums);
    }
}
exports.Measures = Measures;
//# sourceMappingURL=measures.js.map