"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.exponential = exponential;
exports.fullJitter = fullJitter;
exports.equalJitter = equalJitter;
exports.decorrelatedJitter = decorrelatedJitter;
exports.constant = constant;
const check_ts_1 = require("../../base/check.js");
const options_ts_1 = require("../../base/options.js");
const strategy_ts_1 = require("./strategy.js");
const CURVE_OPTIONS = {
    baseMs: { check: check_ts_1.positive, required: true },
    capMs: { check: check_ts_1.notNegative, required: true },
};
function ceilingOf({ baseMs, capMs }, retry) {
    return Math.min(capMs, baseMs * 2 ** (retry - 1));
}
/**
 * min(cap, base·2^n), without jitter.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, exponential } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: exponential({ baseMs: 100, capMs: 10_000 }) });
 * ```
 */
function exponential(curve) {
    const setup = (0, options_ts_1.readOptions)('exponential', curve, CURVE_OPTIONS);
    return ({ retry }) => ceilingOf(setup, retry);
}
/**
 * A random delay between 0 and min(cap, base·2^n).
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, fullJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: fullJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
 */
function fullJitter(curve) {
    const setup = (0, options_ts_1.readOptions)('fullJitter', curve, CURVE_OPTIONS);
    return ({ retry, random }) => random() * ceilingOf(setup, retry);
}
/**
 * Half of min(cap, base·2^n), plus a random delay up to the other half.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, equalJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: equalJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
 */
function equalJitter(curve) {
    const setup = (0, options_ts_1.readOptions)('equalJitter', curve, CURVE_OPTIONS);
    return ({ retry, random }) => (ceilingOf(setup, retry) / 2) * (1 + random());
}
/**
 * min(cap, a random delay between base and three times the previous delay). The previous delay of the first retry is base.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, decorrelatedJitter } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: decorrelatedJitter({ baseMs: 200, capMs: 20_000 }) });
 * ```
 */
function decorrelatedJitter(curve) {
    const { baseMs, capMs } = (0, options_ts_1.readOptions)('decorrelatedJitter', curve, CURVE_OPTIONS);
    return ({ previousDelayMs = baseMs, random }) => Math.min(capMs, baseMs + random() * ((0, strategy_ts_1.finite)(3 * previousDelayMs) - baseMs));
}
/**
 * The same delay each time. `constant(0)` is the "no backoff" of the comparison in the source.
 *
 * Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 * @param delayMs in milliseconds
 * @throws TypeError, RangeError for a wrong delay
 * @example
 * ```ts
 * import { constant, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: constant(500), maxRetries: 3 });
 * ```
 */
function constant(delayMs) {
    (0, check_ts_1.notNegative)('constant: delayMs', delayMs);
    return () => delayMs;
}
//# sourceMappingURL=curves.js.map