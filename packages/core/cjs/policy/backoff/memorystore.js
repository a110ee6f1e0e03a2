"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.memorystore = memorystore;
const check_ts_1 = require("../../base/check.js");
const options_ts_1 = require("../../base/options.js");
const strategy_ts_1 = require("./strategy.js");
const MEMORYSTORE_OPTIONS = {
    maximumBackoffMs: { check: check_ts_1.notNegative, default: 64_000 },
    jitterMs: { check: check_ts_1.wholeNumber, default: 1_000 },
};
/**
 * min(2^n s + a random 0…1000 ms, maximum backoff), with n from 0 at the first retry: 1, 2, 4 … s, then the maximum each
 * time. The jitter is drawn anew for each retry.
 *
 * Source: Google Cloud, Memorystore for Valkey, "Exponential backoff".
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, memorystore } from '@ebb/core';
 *
 * const policy = createPolicy({ backoff: memorystore({ maximumBackoffMs: 32_000 }) });
 * ```
 */
function memorystore(options = {}) {
    const { maximumBackoffMs, jitterMs } = (0, options_ts_1.readOptions)('memorystore', options, MEMORYSTORE_OPTIONS);
    return ({ retry, random }) => Math.min(2 ** (retry - 1) * 1_000 + (0, strategy_ts_1.wholeUpTo)(jitterMs, random), maximumBackoffMs);
}
//# sourceMappingURL=memorystore.js.map