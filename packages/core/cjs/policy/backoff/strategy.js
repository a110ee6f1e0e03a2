"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.LARGEST_EXPONENT = void 0;
exports.wholeUpTo = wholeUpTo;
exports.finite = finite;
exports.ending = ending;
/** A random whole number from 0 to `most`, both included. */
function wholeUpTo(most, random) {
    return Math.min(most, Math.floor(random() * (most + 1)));
}
/** 2^1024 is infinite, and 0 times infinity is `NaN`. */
exports.LARGEST_EXPONENT = 1_023;
/** A product of finite numbers may be infinite. */
function finite(product) {
    return Math.min(product, Number.MAX_VALUE);
}
/** A rule that gives up after `maxRetries` retries, with that number as its property. */
function ending(maxRetries, delay) {
    const rule = (step) => step.retry <= maxRetries ? delay(step) : undefined;
    return Object.assign(rule, { maxRetries });
}
//# sourceMappingURL=strategy.js.map