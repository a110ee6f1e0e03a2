"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WAITING_OPTIONS = void 0;
const check_ts_1 = require("../../base/check.js");
/** How the options of a queue are read. */
exports.WAITING_OPTIONS = {
    maxQueue: { check: check_ts_1.wholeNumber, default: Number.POSITIVE_INFINITY },
    overflow: { check: (0, check_ts_1.oneOf)('reject', 'drop-oldest', 'drop-lowest'), default: 'reject' },
    maxWaitMs: { check: check_ts_1.notNegative, default: Number.POSITIVE_INFINITY },
    agingMs: { check: check_ts_1.positive, default: 60_000 },
};
//# sourceMappingURL=options.js.map