"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.costOf = costOf;
const check_ts_1 = require("../base/check.js");
const errors_ts_1 = require("../base/errors.js");
/**
 * The tokens that an attempt takes.
 *
 * @throws HookError if `cost` throws, or returns something else than a number above 0
 */
function costOf({ cost }, request) {
    if (typeof cost === 'number')
        return cost;
    return (0, errors_ts_1.callHook)('cost', () => {
        const tokens = cost(request);
        (0, check_ts_1.positive)('its result', tokens);
        return tokens;
    });
}
//# sourceMappingURL=cost.js.map