"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.exponentialTime = exponentialTime;
exports.logNormalTime = logNormalTime;
/** The standard deviation of the logarithm. The mean of e^(deviation·N) is e^(deviation²/2). */
const LOG_DEVIATION = 1;
/** An exponentially distributed time with this mean. */
function exponentialTime(meanMs, random) {
    return -Math.log(1 - random()) * meanMs;
}
/** A standard normal number, by the method of Box and Muller. */
function normal(random) {
    return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
/** A log-normally distributed time with this mean: its long tail is that of real services. */
function logNormalTime(meanMs, random) {
    return meanMs * Math.exp(LOG_DEVIATION * normal(random) - LOG_DEVIATION ** 2 / 2);
}
//# sourceMappingURL=distributions.js.map