"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.BUCKET_OPTIONS = void 0;
exports.defaultCapacity = defaultCapacity;
exports.checkFill = checkFill;
exports.checkRate = checkRate;
exports.checkedTogether = checkedTogether;
exports.bucketSetup = bucketSetup;
const check_ts_1 = require("../../base/check.js");
const options_ts_1 = require("../../base/options.js");
const waiting_bucket_options_ts_1 = require("./waiting-bucket-options.js");
/** The capacity of a bucket without one: a fifth of a second of refill, at least one token. */
function defaultCapacity({ refillPerSecond }) {
    return Math.max(1, Math.ceil(refillPerSecond / 5));
}
/** About 30,000 years. Beyond it, milliseconds are not exact. */
const LONGEST_FILL_SECONDS = 1e12;
/**
 * @param name of the option that is the rate, with its caller
 * @throws RangeError if the capacity takes too long to fill
 */
function checkFill(name, { refillPerSecond, capacity }) {
    const least = capacity / LONGEST_FILL_SECONDS;
    if (refillPerSecond >= least)
        return;
    const takes = `at least ${least}, so that the capacity, ${capacity}, fills in ${LONGEST_FILL_SECONDS} seconds`;
    throw (0, check_ts_1.wrongRange)(name, takes, refillPerSecond);
}
/** @throws TypeError, RangeError for a rate or a capacity that is out of bounds */
function checkRate(caller, rate) {
    (0, check_ts_1.refillRate)((0, check_ts_1.nameOf)(caller, 'refillPerSecond'), rate.refillPerSecond);
    (0, check_ts_1.capacity)((0, check_ts_1.nameOf)(caller, 'capacity'), rate.capacity);
    checkFill((0, check_ts_1.nameOf)(caller, 'refillPerSecond'), rate);
}
const checkInterval = (name, value) => {
    (0, check_ts_1.notNegative)(name, value);
    if (value === 0 || (value >= 1e-3 && value <= 1e11))
        return;
    throw (0, check_ts_1.wrongRange)(name, '0, or a number from 0.001 to 1e11', value);
};
const LIMIT_OPTIONS = {
    refillPerSecond: { check: check_ts_1.refillRate, required: true },
    capacity: { check: check_ts_1.capacity, required: true },
};
const checkLimits = (name, value) => {
    if (!Array.isArray(value))
        throw (0, check_ts_1.wrongType)(name, 'a list of limits', value);
    value.forEach((limit, index) => {
        const rate = (0, options_ts_1.readOptions)(`${name}[${index}]`, limit, LIMIT_OPTIONS);
        checkFill((0, check_ts_1.nameOf)(`${name}[${index}]`, 'refillPerSecond'), rate);
    });
};
/** How the options of a token bucket are read. */
exports.BUCKET_OPTIONS = {
    refillPerSecond: { check: check_ts_1.refillRate, required: true },
    capacity: { check: check_ts_1.capacity, defaultOf: defaultCapacity },
    refillIntervalMs: { check: checkInterval, default: 0 },
    initialTokens: { check: check_ts_1.notNegative, defaultOf: (options) => options.capacity },
    furtherLimits: { check: checkLimits, default: [] },
    ...waiting_bucket_options_ts_1.WAITING_BUCKET_OPTIONS,
};
/** @throws RangeError if options that are valid by themselves contradict each other */
function checkedTogether(caller, setup) {
    const { capacity, initialTokens, furtherLimits } = setup;
    checkFill(`${caller}: refillPerSecond`, setup);
    if (initialTokens > capacity) {
        throw (0, check_ts_1.wrongRange)(`${caller}: initialTokens`, `at most the capacity, ${capacity}`, initialTokens);
    }
    // Copied, because changing the list later must not change the buckets that are made from it.
    return { ...setup, furtherLimits: furtherLimits.map((limit) => ({ ...limit })) };
}
/**
 * Validates the options of a token bucket, and applies the defaults.
 *
 * @param caller the name of the function in error messages
 * @throws TypeError, RangeError for a wrong option
 */
function bucketSetup(options, caller = 'tokenBucket') {
    return checkedTogether(caller, (0, options_ts_1.readOptions)(caller, options, exports.BUCKET_OPTIONS));
}
//# sourceMappingURL=options.js.map