"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.fleetSetup = fleetSetup;
const bucket_1 = require("@ebb/core/bucket");
const store_client_ts_1 = require("./store-client.js");
const store_options_ts_1 = require("./store-options.js");
const checkShare = (name, value) => {
    bucket_1.check.positive(name, value);
    if (value > 1)
        throw bucket_1.check.wrongRange(name, 'a number > 0 and ≤ 1', value);
};
const checkAheadMs = (name, value) => {
    bucket_1.check.positive(name, value);
    // No timer is shorter, and each request would make a call.
    if (value < 1)
        throw bucket_1.check.wrongRange(name, 'a number ≥ 1', value);
};
const LEASE_OPTIONS = {
    aheadMs: { check: checkAheadMs, default: 100 },
};
const BUCKET_OPTIONS = {
    ...bucket_1.WAITING_BUCKET_OPTIONS,
    ...store_options_ts_1.STORE_OPTIONS,
    refillPerSecond: { check: bucket_1.check.refillRate, required: true },
    capacity: { check: bucket_1.check.capacity, defaultOf: bucket_1.defaultCapacity },
    lease: {
        check: (name, lease) => void (0, bucket_1.readOptions)(name, lease, LEASE_OPTIONS),
        default: {},
    },
    onStoreError: { check: bucket_1.check.oneOf('local', 'open', 'closed'), default: 'local' },
    localShare: { check: checkShare },
    connectTimeoutMs: { check: bucket_1.check.notNegative },
};
/** A call and a timer may take this long: tokens that are leased for a shorter time come too late. In milliseconds. */
const LEAST_MS = 10;
/** Beyond this, times in whole microseconds are not exact. */
const LONGEST_FILL_SECONDS = 1e8;
/** @throws TypeError, RangeError if an option is invalid; the message names it */
function fleetSetup(options) {
    const { lease, prefix, ...setup } = (0, bucket_1.readOptions)('valkeyBucket', options, BUCKET_OPTIONS);
    const { capacity, refillPerSecond } = setup;
    if (capacity / refillPerSecond > LONGEST_FILL_SECONDS) {
        const least = capacity / LONGEST_FILL_SECONDS;
        const takes = `at least ${least}, so that the capacity, ${capacity}, fills in ${LONGEST_FILL_SECONDS} seconds`;
        throw bucket_1.check.wrongRange('valkeyBucket: refillPerSecond', takes, refillPerSecond);
    }
    const fillMs = (capacity * 1_000) / refillPerSecond;
    const aheadMs = Math.min((0, bucket_1.readOptions)('lease', lease, LEASE_OPTIONS).aheadMs, fillMs / 2);
    return {
        ...setup,
        key: `${prefix}{${setup.key}}`,
        storeClient: (0, store_client_ts_1.storeClientOf)(setup.client),
        aheadMs,
        queueAheadMs: Math.max(aheadMs, LEAST_MS),
        graceMs: Math.max(fillMs, LEAST_MS),
    };
}
//# sourceMappingURL=options.js.map