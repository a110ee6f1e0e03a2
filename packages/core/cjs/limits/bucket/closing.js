"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.waitingAtClose = waitingAtClose;
const check_ts_1 = require("../../base/check.js");
const options_ts_1 = require("../../base/options.js");
const CLOSE_OPTIONS = {
    waiting: { check: (0, check_ts_1.oneOf)('reject', 'drain'), default: 'reject' },
};
/**
 * Validates the options of `close`, and returns its `waiting`.
 *
 * @throws TypeError, RangeError for a wrong option
 */
function waitingAtClose(options = {}) {
    return (0, options_ts_1.readOptions)('close', options, CLOSE_OPTIONS).waiting;
}
//# sourceMappingURL=closing.js.map