"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.binaryExponential = binaryExponential;
exports.connectRetry = connectRetry;
const check_ts_1 = require("../../base/check.js");
const options_ts_1 = require("../../base/options.js");
const strategy_ts_1 = require("./strategy.js");
const BINARY_OPTIONS = {
    slotMs: { check: check_ts_1.positive, required: true },
    maxExponent: { check: check_ts_1.countingNumber, default: 10 },
    attemptLimit: { check: check_ts_1.countingNumber, default: 16 },
};
/**
 * After c collisions a whole number of slots, uniform over 0 … 2^min(c, maxExponent) − 1: (2^c − 1) / 2 slots on average.
 * Gives up at the attempt limit, which is also the default of the policy's `maxRetries`, plus one.
 *
 * Source: IEEE 802.3, truncated binary exponential backoff (Ethernet).
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { binaryExponential, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: binaryExponential({ slotMs: 50, attemptLimit: 8 }) });
 * console.log(policy.maxRetries); // 7
 * ```
 */
function binaryExponential(options) {
    const { slotMs, maxExponent, attemptLimit } = (0, options_ts_1.readOptions)('binaryExponential', options, BINARY_OPTIONS);
    return (0, strategy_ts_1.ending)(attemptLimit - 1, ({ retry: collisions, random }) => (0, strategy_ts_1.finite)(slotMs * (0, strategy_ts_1.wholeUpTo)(2 ** Math.min(collisions, maxExponent, strategy_ts_1.LARGEST_EXPONENT) - 1, random)));
}
const CONNECT_OPTIONS = {
    maxSleepMs: { check: check_ts_1.notNegative, default: 128_000 },
};
/**
 * 1, 2, 4 … s while that is at most half of the maximum, then gives up. With 128 s that is eight attempts, and the
 * policy's `maxRetries` is 7 by default.
 *
 * Source: Stevens and Rago, "Advanced Programming in the UNIX Environment", 3rd edition, §16.4.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { connectRetry, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: connectRetry({ maxSleepMs: 32_000 }) });
 * console.log(policy.maxRetries); // 5: after 1, 2, 4, 8 and 16 s
 * ```
 */
function connectRetry(options = {}) {
    const { maxSleepMs } = (0, options_ts_1.readOptions)('connectRetry', options, CONNECT_OPTIONS);
    const delayBefore = (retry) => 1_000 * 2 ** (retry - 1);
    let sleeps = 0;
    while (delayBefore(sleeps + 1) <= maxSleepMs / 2)
        sleeps += 1;
    return (0, strategy_ts_1.ending)(sleeps, ({ retry }) => delayBefore(retry));
}
//# sourceMappingURL=ending-rules.js.map