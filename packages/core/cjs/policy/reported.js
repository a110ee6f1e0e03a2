"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.reportedRequest = reportedRequest;
exports.reportedOutcome = reportedOutcome;
exports.reportedError = reportedError;
const errors_ts_1 = require("../base/errors.js");
const failure_code_ts_1 = require("../http/failure-code.js");
const url_ts_1 = require("../http/url.js");
function reportedRequest({ method, url }) {
    return { method, url: (0, url_ts_1.withoutSecrets)(url) };
}
function reportedOutcome(outcome) {
    if (outcome.type === 'response')
        return { type: 'response', status: outcome.status };
    const { kind, error } = outcome;
    const code = (0, failure_code_ts_1.codeOf)(error);
    return code === undefined ? { type: 'failure', kind } : { type: 'failure', kind, code };
}
function reportedError(error) {
    if (error instanceof errors_ts_1.ThrottledError) {
        const { name, reason, waitMs } = error;
        return { name, reason, ...(waitMs !== undefined && { waitMs }) };
    }
    if (error instanceof errors_ts_1.HookError)
        return { name: error.name, hook: error.hook };
    const name = (0, failure_code_ts_1.nameOf)(error) ?? typeof error;
    const code = (0, failure_code_ts_1.codeOf)(error);
    return code === undefined || code === name ? { name } : { name, code };
}
//# sourceMappingURL=reported.js.map