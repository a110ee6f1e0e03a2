"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WAITING_BUCKET_OPTIONS = void 0;
const check_ts_1 = require("../../base/check.js");
const options_ts_1 = require("../../base/options.js");
const server_feedback_ts_1 = require("../../http/server-feedback.js");
const options_ts_2 = require("../queue/options.js");
/** How the options of every bucket are read. */
exports.WAITING_BUCKET_OPTIONS = {
    ...options_ts_2.WAITING_OPTIONS,
    nonConforming: { check: (0, check_ts_1.oneOf)('delay', 'reject', 'mark'), default: 'delay' },
    feedback: { check: server_feedback_ts_1.checkFeedback, default: server_feedback_ts_1.serverFeedback },
    feedbackScope: { check: (0, check_ts_1.oneOf)('origin', 'bucket'), default: 'origin' },
    maxPauseMs: { check: check_ts_1.notNegative, default: 600_000 },
    clock: options_ts_1.LIMIT_CLOCK_OPTION,
    random: options_ts_1.RANDOM_OPTION,
};
//# sourceMappingURL=waiting-bucket-options.js.map