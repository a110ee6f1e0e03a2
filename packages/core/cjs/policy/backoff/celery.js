"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.celery = celery;
const check_ts_1 = require("../../base/check.js");
const options_ts_1 = require("../../base/options.js");
const strategy_ts_1 = require("./strategy.js");
const CELERY_OPTIONS = {
    factorMs: { check: check_ts_1.wholeNumber, required: true },
    maximumMs: { check: check_ts_1.notNegative, default: 600_000 },
    fullJitter: { check: check_ts_1.flag, default: true },
    unitMs: { check: check_ts_1.countingNumber, default: 1 },
};
/**
 * min(maximum, factor·2^n), with n from 0 at the first retry; with full jitter a random whole number of units from 0 to
 * that, both included.
 *
 * Source: Celery, `celery.utils.time.get_exponential_backoff_interval`.
 * @throws TypeError, RangeError for a wrong option, and for a factor or a maximum that is no multiple of the unit
 * @example
 * ```ts
 * import { celery, createPolicy } from '@ebb/core';
 *
 * // Whole seconds, like retry_backoff=2 and retry_backoff_max=60 in Celery.
 * const backoff = celery({ factorMs: 2_000, maximumMs: 60_000, unitMs: 1_000 });
 * const policy = createPolicy({ backoff });
 * ```
 */
function celery(options) {
    const { factorMs, maximumMs, fullJitter, unitMs } = (0, options_ts_1.readOptions)('celery', options, CELERY_OPTIONS);
    checkUnits('celery: factorMs', factorMs, unitMs);
    checkUnits('celery: maximumMs', maximumMs, unitMs);
    return ({ retry, random }) => {
        const delayMs = Math.min(maximumMs, factorMs * 2 ** Math.min(retry - 1, strategy_ts_1.LARGEST_EXPONENT));
        // For large numbers the division may round up.
        return fullJitter ? Math.min(delayMs, unitMs * (0, strategy_ts_1.wholeUpTo)(delayMs / unitMs, random)) : delayMs;
    };
}
/** Celery draws with `randrange`, which takes whole numbers only. Rounding would change the limits. */
function checkUnits(name, valueMs, unitMs) {
    if (valueMs % unitMs !== 0)
        throw (0, check_ts_1.wrongRange)(name, `a multiple of the unit, ${unitMs} ms`, valueMs);
}
//# sourceMappingURL=celery.js.map