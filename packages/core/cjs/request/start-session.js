"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.startSession = startSession;
const _platform_1 = require("#platform");
const policy_ts_1 = require("../policy/policy.js");
const session_ts_1 = require("./session.js");
/**
 * Starts the session of a request with its own `ebb` options; `undefined` for `ebb: false`.
 *
 * @param carried what the options of the request hold under `LAYER`
 * @param way what the attempts are sent with
 * @throws TypeError, RangeError for wrong options
 */
function startSession(policy, request, options, carried, way = 'client') {
    if (options === false)
        return undefined;
    const around = (0, _platform_1.surroundings)(request, carried, way === 'dispatcher');
    // Options apply to the outermost layer, which they were given to.
    if (options === undefined || around.outer !== undefined)
        return new session_ts_1.Session(policy, request, around, way);
    return new session_ts_1.Session((0, policy_ts_1.overridePolicy)(policy, options), request, around, way);
}
//# sourceMappingURL=start-session.js.map