"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.adaptive = adaptive;
const check_ts_1 = require("../../base/check.js");
const options_ts_1 = require("../../base/options.js");
const options_ts_2 = require("./options.js");
const token_bucket_ts_1 = require("./token-bucket.js");
const share = (name, value) => {
    (0, check_ts_1.positive)(name, value);
    if (value >= 1)
        throw (0, check_ts_1.wrongRange)(name, 'a number between 0 and 1', value);
};
const ADAPTIVE_OPTIONS = {
    ...options_ts_2.BUCKET_OPTIONS,
    decreaseTo: { check: share, default: 0.7 },
    recoverPerSecond: { check: check_ts_1.positive, default: 0.05 },
    minRefillPerSecond: { check: check_ts_1.refillRate, defaultOf: ({ refillPerSecond }) => refillPerSecond / 100 },
};
/** @throws TypeError, RangeError for a wrong option */
function adaptiveSetup(options) {
    const setup = (0, options_ts_2.checkedTogether)('adaptive', (0, options_ts_1.readOptions)('adaptive', options, ADAPTIVE_OPTIONS));
    const { refillPerSecond, capacity, minRefillPerSecond: lowest } = setup;
    // The default may be slower than a rate that can be given.
    if (options.minRefillPerSecond !== undefined) {
        (0, options_ts_2.checkFill)('adaptive: minRefillPerSecond', { refillPerSecond: lowest, capacity });
    }
    if (lowest > refillPerSecond) {
        throw (0, check_ts_1.wrongRange)('adaptive: minRefillPerSecond', `at most ${refillPerSecond}`, lowest);
    }
    return setup;
}
/** The rate is applied when it has grown by this share of the highest, because each change has a cost. */
const STEP = 0.01;
class AdaptiveBucket extends token_bucket_ts_1.Bucket {
    #decreaseTo;
    #recoverPerSecond;
    #lowest;
    #highest;
    #rate;
    /** When the rate was lowered last. Grants from before were sent at the old rate and prove nothing about the new one. */
    #changedAtMs = Number.NEGATIVE_INFINITY;
    constructor(setup) {
        super(setup);
        this.#decreaseTo = setup.decreaseTo;
        this.#recoverPerSecond = setup.recoverPerSecond;
        this.#lowest = setup.minRefillPerSecond;
        this.#highest = setup.refillPerSecond;
        this.#rate = setup.refillPerSecond;
    }
    setRate(refillPerSecond, capacity) {
        super.setRate(refillPerSecond, capacity);
        this.#highest = refillPerSecond;
        this.#rate = refillPerSecond;
    }
    observe(outcome, grant, request, read) {
        const said = super.observe(outcome, grant, request, read);
        if (outcome.type === 'response' && grant.grantedAtMs > this.#changedAtMs) {
            if (said?.tooFast ?? outcome.status === 429)
                this.#decrease();
            else if (outcome.status < 400 && grant.waitedMs > 0)
                this.#recover();
        }
        return said;
    }
    /** Once for all requests that were sent at the same rate: they report the same overload. */
    #decrease() {
        const lowest = Math.min(this.#lowest, this.#highest);
        this.#rate = Math.max(lowest, super.stats().refillPerSecond * this.#decreaseTo);
        this.#changedAtMs = this.time.clock.now();
        super.changeRate(this.#rate);
    }
    /** Only after a request that had to wait: without demand, success at this rate proves nothing. */
    #recover() {
        if (this.#rate >= this.#highest)
            return;
        this.#rate = Math.min(this.#highest, this.#rate + (this.#highest * this.#recoverPerSecond) / this.#rate);
        const grown = this.#rate - super.stats().refillPerSecond;
        if (grown >= this.#highest * STEP || this.#rate === this.#highest)
            super.changeRate(this.#rate);
    }
}
/**
 * A token bucket that finds the rate that a server accepts. A throttled request lowers the rate at once; successful
 * requests that had to wait raise it slowly, up to `refillPerSecond`. A burst that is throttled lowers it once.
 *
 * Source: additive increase, multiplicative decrease (RFC 5681 §3.1); growth only under load as in RFC 7661.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { adaptive, createPolicy } from '@ebb/core';
 *
 * // At most 100 requests per second, at least 5.
 * const bucket = adaptive({ refillPerSecond: 100, minRefillPerSecond: 5 });
 * const policy = createPolicy({ bucket });
 * ```
 */
function adaptive(options) {
    return new AdaptiveBucket(adaptiveSetup(options));
}
//# sourceMappingURL=adaptive.js.map