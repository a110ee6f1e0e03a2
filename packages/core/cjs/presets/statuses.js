"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.classifyBy = classifyBy;
exports.refusingBusy = refusingBusy;
const asked_wait_ts_1 = require("../http/asked-wait.js");
const classify_ts_1 = require("../http/classify.js");
/** As `classifyHttp`, which retries 429 and failures, but with other statuses that are transient. */
function classifyBy(isTransient) {
    return (outcome) => {
        if (outcome.type === 'failure' || outcome.status < 400 || outcome.status === 429) {
            return (0, classify_ts_1.classifyHttp)(outcome);
        }
        return isTransient(outcome.status) ? 'transient' : 'final';
    };
}
/**
 * As another rule, but a 503 that asks for a wait is a refusal. Only for a provider that says so of its own servers: a proxy
 * adds the field to a 503 after work was done as well.
 */
function refusingBusy(classify) {
    return (outcome, request, attempt) => {
        const isBusy = outcome.type === 'response' && outcome.status === 503 && outcome.redirected !== true;
        // A date counts from the `Date` of the response. Without one any date is later than 1970.
        return isBusy && ((0, asked_wait_ts_1.askedWaitMs)(outcome, 0) ?? 0) > 0 ? 'refused' : classify(outcome, request, attempt);
    };
}
//# sourceMappingURL=statuses.js.map