"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.flag = exports.callable = exports.checkPriority = exports.HIGHEST_PRIORITY = exports.refillRate = exports.capacity = exports.MOST_PER_SECOND = exports.MOST_TOKENS = exports.positive = exports.notNegative = exports.countingNumber = exports.wholeNumber = exports.wrongType = exports.wrongRange = exports.nameOf = exports.isOptionError = void 0;
exports.oneOf = oneOf;
exports.having = having;
const option_error_ts_1 = require("./option-error.js");
var option_error_ts_2 = require("./option-error.js");
Object.defineProperty(exports, "isOptionError", { enumerable: true, get: function () { return option_error_ts_2.isOptionError; } });
Object.defineProperty(exports, "nameOf", { enumerable: true, get: function () { return option_error_ts_2.nameOf; } });
Object.defineProperty(exports, "wrongRange", { enumerable: true, get: function () { return option_error_ts_2.wrongRange; } });
Object.defineProperty(exports, "wrongType", { enumerable: true, get: function () { return option_error_ts_2.wrongType; } });
function numberThat(takes, fits) {
    return (name, value) => {
        if (typeof value !== 'number')
            throw (0, option_error_ts_1.wrongType)(name, takes, value);
        if (!fits(value))
            throw (0, option_error_ts_1.wrongRange)(name, takes, value);
    };
}
/** 0, 1, 2 … */
exports.wholeNumber = numberThat('a whole number ≥ 0', (n) => Number.isSafeInteger(n) && n >= 0);
/** 1, 2, 3 … */
exports.countingNumber = numberThat('a whole number ≥ 1', (n) => Number.isSafeInteger(n) && n >= 1);
/** A finite number, 0 included. */
exports.notNegative = numberThat('a finite number ≥ 0', (n) => Number.isFinite(n) && n >= 0);
/** A finite number above 0. */
exports.positive = numberThat('a finite number > 0', (n) => Number.isFinite(n) && n > 0);
/** The largest capacity. Sums are off by up to a billionth, which is more than a token beyond this. */
exports.MOST_TOKENS = 1e9;
/** The highest rate, in tokens per second: one per nanosecond, the resolution of clocks. */
exports.MOST_PER_SECOND = 1e9;
/** A capacity, in tokens. */
exports.capacity = numberThat(`a number > 0 and ≤ ${exports.MOST_TOKENS}`, (n) => n > 0 && n <= exports.MOST_TOKENS);
/** A refill rate, in tokens per second. */
exports.refillRate = numberThat(`a number > 0 and ≤ ${exports.MOST_PER_SECOND}`, (n) => n > 0 && n <= exports.MOST_PER_SECOND);
/** Priorities are whole numbers from -7 to 7. With a lane for retries each they fit in 30 bits. */
exports.HIGHEST_PRIORITY = 7;
/** A priority. */
exports.checkPriority = numberThat(`a whole number from -${exports.HIGHEST_PRIORITY} to ${exports.HIGHEST_PRIORITY}`, (n) => Number.isInteger(n) && Math.abs(n) <= exports.HIGHEST_PRIORITY);
/** A function. */
const callable = (name, value) => {
    if (typeof value !== 'function')
        throw (0, option_error_ts_1.wrongType)(name, 'a function', value);
};
exports.callable = callable;
/** `true` or `false`. */
const flag = (name, value) => {
    if (typeof value !== 'boolean')
        throw (0, option_error_ts_1.wrongType)(name, 'true or false', value);
};
exports.flag = flag;
/** One of a few words. */
function oneOf(...words) {
    const takes = `one of ${words.map((word) => `'${word}'`).join(', ')}`;
    return (name, value) => {
        if (typeof value !== 'string')
            throw (0, option_error_ts_1.wrongType)(name, takes, value);
        if (!words.includes(value))
            throw (0, option_error_ts_1.wrongRange)(name, takes, value);
    };
}
/** An object that has these methods. */
function having(takes, ...methods) {
    return (name, value) => {
        const object = value;
        if (!methods.every((method) => typeof object?.[method] === 'function'))
            throw (0, option_error_ts_1.wrongType)(name, takes, value);
    };
}
//# sourceMappingURL=check.js.map