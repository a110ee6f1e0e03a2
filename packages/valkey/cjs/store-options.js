"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.STORE_OPTIONS = void 0;
const bucket_1 = require("@ebb/core/bucket");
const store_client_ts_1 = require("./store-client.js");
// The key is put in braces, which a cluster takes for a hash tag. Other braces would end that tag, or start one.
const withoutBraces = (name, value) => {
    if (typeof value !== 'string')
        throw bucket_1.check.wrongType(name, 'a string', value);
    if (/[{}]/.test(value))
        throw bucket_1.check.wrongRange(name, 'a string without braces', value);
};
const checkKey = (name, value) => {
    withoutBraces(name, value);
    if (value === '')
        throw bucket_1.check.wrongRange(name, 'a string that is not empty', value);
};
/** How the common options are read. */
exports.STORE_OPTIONS = {
    client: { check: store_client_ts_1.checkClient, required: true },
    key: { check: checkKey, required: true },
    prefix: { check: withoutBraces, default: 'ebb:' },
    timeoutMs: { check: bucket_1.check.positive, default: 250 },
    retryMs: { check: bucket_1.check.positive, default: 500 },
    onStoreEvent: { check: bucket_1.check.callable },
    clock: bucket_1.LIMIT_CLOCK_OPTION,
    random: bucket_1.RANDOM_OPTION,
};
//# sourceMappingURL=store-options.js.map