"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.mayBeSentAtOnce = mayBeSentAtOnce;
exports.rememberSuccess = rememberSuccess;
const _platform_1 = require("#platform");
const events_ts_1 = require("../policy/events.js");
const policy_ts_1 = require("../policy/policy.js");
const history_ts_1 = require("./history.js");
/**
 * True if nothing has to be made for a call before its first failure: its policy has no parts, hooks and timeouts, no one listens
 * to events, and no other layer is around it or below it.
 */
function mayBeSentAtOnce(policy, way) {
    return ((0, policy_ts_1.insideOf)(policy).isPlain &&
        !(0, _platform_1.mayBeLayered)(way) &&
        !(0, _platform_1.isWithinCall)() &&
        !(0, events_ts_1.isObserved)(undefined, 'attempt') &&
        !(0, events_ts_1.isObserved)(undefined, 'end'));
}
/** The histories of calls that were successful at once, by status. */
const histories = [];
/** Notes the history of a call that was successful at once. All with the same status share it. */
function rememberSuccess(result, status) {
    let history = histories[status];
    if (history === undefined) {
        const record = { attempt: 1, delayMs: 0, throttledMs: 0, status, reason: 'success' };
        history = Object.freeze([Object.freeze(record)]);
        // A mock may have any number for a status.
        if (status >= 100 && status < 400 && Number.isInteger(status))
            histories[status] = history;
    }
    (0, history_ts_1.remember)(result, history);
}
//# sourceMappingURL=at-once.js.map