"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ownBucket = ownBucket;
exports.ownLimit = ownLimit;
exports.ownBudget = ownBudget;
const check_ts_1 = require("../base/check.js");
const bucket_ts_1 = require("./bucket.js");
const budget_ts_1 = require("./budget.js");
const concurrency_ts_1 = require("./concurrency.js");
const isBucket = /* @__PURE__ */ (0, check_ts_1.having)('a token bucket', 'tryAcquire', 'acquire');
const isLimit = /* @__PURE__ */ (0, check_ts_1.having)('a concurrency limit', 'tryAcquire', 'acquire', 'stats');
const isBudget = /* @__PURE__ */ (0, check_ts_1.having)('a retry budget', 'deposit', 'withdraw');
function bringing(own, part) {
    // Not enumerable: a copy of it is an object of the user's own.
    return Object.defineProperty(own, 'part', { value: part, configurable: true });
}
/**
 * A bucket of your own, for a policy: the same object, which now brings the code that takes its tokens for each attempt.
 *
 * @throws TypeError unless it has `tryAcquire` and `acquire`
 */
function ownBucket(bucket) {
    isBucket('ownBucket: bucket', bucket);
    return bringing(bucket, new bucket_ts_1.BucketPart(bucket));
}
/**
 * A concurrency limit of your own, for a policy: the same object, with the code that takes a slot for each attempt.
 *
 * @throws TypeError unless it has `tryAcquire`, `acquire` and `stats`
 */
function ownLimit(limit) {
    isLimit('ownLimit: limit', limit);
    return bringing(limit, new concurrency_ts_1.ConcurrencyPart(limit));
}
/**
 * A retry budget of your own, for a policy: the same object, with the code that withdraws each retry.
 *
 * @throws TypeError unless it has `deposit` and `withdraw`
 */
function ownBudget(budget) {
    isBudget('ownBudget: budget', budget);
    return bringing(budget, new budget_ts_1.BudgetPart(budget));
}
//# sourceMappingURL=own.js.map