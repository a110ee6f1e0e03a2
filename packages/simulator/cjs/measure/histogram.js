"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Histogram = void 0;
/** Steps in each doubling: a value is accurate to 1.6 %. */
const STEPS = 64;
/** Values are counted in units of 10 µs, up to 2^30 units, which is three hours. */
const UNITS_PER_MS = 100;
const MOST_UNITS = 2 ** 30 - 1;
/** Counts durations, in milliseconds, in buckets whose width grows with the duration. */
class Histogram {
    #counts = new Float64Array(STEPS * 26);
    #count = 0;
    #sum = 0;
    #max = 0;
    add(durationMs) {
        const units = Math.min(durationMs * UNITS_PER_MS, MOST_UNITS) | 0;
        const doublings = Math.max(0, 25 - Math.clz32(units));
        const at = doublings * STEPS + (units >> doublings);
        this.#counts[at] = this.#counts[at] + 1;
        this.#count += 1;
        this.#sum += durationMs;
        if (durationMs > this.#max)
            this.#max = durationMs;
    }
    #quantile(share) {
        let left = Math.max(1, Math.ceil(share * this.#count));
        for (const [at, count] of this.#counts.entries()) {
            left -= count;
            if (left > 0 || count === 0)
                continue;
            // Values below 128 units have a place each. After that each doubling has 64 places.
            const doublings = Math.max(0, Math.floor(at / STEPS) - 1);
            const units = (at - doublings * STEPS + 0.5) * 2 ** doublings;
            return Math.min(units / UNITS_PER_MS, this.#max);
        }
        return 0;
    }
    quantiles() {
        return {
            count: this.#count,
            mean: this.#count === 0 ? 0 : this.#sum / this.#count,
            p50: this.#quantile(0.5),
            p90: this.#quantile(0.9),
            p99: this.#quantile(0.99),
            p999: this.#quantile(0.999),
            max: this.#max,
        };
    }
}
exports.Histogram = Histogram;
//# sourceMappingURL=histogram.js.map