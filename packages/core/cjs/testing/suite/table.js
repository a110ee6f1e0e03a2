"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.table = void 0;
const aborts_ts_1 = require("./rows/aborts.js");
const feedback_ts_1 = require("./rows/feedback.js");
const hooks_ts_1 = require("./rows/hooks.js");
const inspected_ts_1 = require("./rows/inspected.js");
const limits_ts_1 = require("./rows/limits.js");
const misbehaving_ts_1 = require("./rows/misbehaving.js");
const redirects_ts_1 = require("./rows/redirects.js");
const repeating_ts_1 = require("./rows/repeating.js");
const responses_ts_1 = require("./rows/responses.js");
const retry_after_ts_1 = require("./rows/retry-after.js");
const total_ts_1 = require("./rows/total.js");
/** Every row. */
exports.table = [
    ...responses_ts_1.responses,
    ...retry_after_ts_1.retryAfter,
    ...repeating_ts_1.repeating,
    ...misbehaving_ts_1.misbehaving,
    ...feedback_ts_1.feedback,
    ...inspected_ts_1.inspected,
    ...hooks_ts_1.hooks,
    ...limits_ts_1.limited,
    ...aborts_ts_1.aborts,
    ...total_ts_1.bounded,
    ...redirects_ts_1.redirects,
];
//# sourceMappingURL=table.js.map