"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.budgetSetup = budgetSetup;
const bucket_1 = require("@ebb/core/bucket");
const store_client_ts_1 = require("./store-client.js");
const store_options_ts_1 = require("./store-options.js");
function between(least, most) {
    return (name, value) => {
        bucket_1.check.notNegative(name, value);
        if (value < least || value > most) {
            throw bucket_1.check.wrongRange(name, `a number from ${least} to ${most}`, value);
        }
    };
}
const LEASE_OPTIONS = {
    aheadMs: { check: bucket_1.check.positive, default: 100 },
};
const BUDGET_OPTIONS = {
    ...store_options_ts_1.STORE_OPTIONS,
    // Beyond these bounds, whole millionths of a retry are not exact.
    ratio: { check: between(0, 1_000), default: 0.2 },
    reserve: { check: between(0, 1_000_000), default: 10 },
    windowMs: { check: between(10, 86_400_000), default: 10_000 },
    lease: {
        check: (name, lease) => void (0, bucket_1.readOptions)(name, lease, LEASE_OPTIONS),
        default: {},
    },
    localReserve: { check: bucket_1.check.notNegative },
};
/** @throws TypeError, RangeError if an option is invalid; the message names it */
function budgetSetup(options) {
    const { lease, prefix, ...setup } = (0, bucket_1.readOptions)('valkeyBudget', options, BUDGET_OPTIONS);
    return {
        ...setup,
        // A bucket of the same name has another key, in the same slot.
        key: `${prefix}{${setup.key}}:budget`,
        storeClient: (0, store_client_ts_1.storeClientOf)(setup.client),
        aheadMs: Math.min((0, bucket_1.readOptions)('lease', lease, LEASE_OPTIONS).aheadMs, setup.windowMs / 10),
    };
}
//# sourceMappingURL=budget-options.js.map