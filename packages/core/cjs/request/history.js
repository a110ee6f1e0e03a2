"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.recordOf = recordOf;
exports.remember = remember;
exports.rememberReason = rememberReason;
exports.attemptsOf = attemptsOf;
exports.grantOf = grantOf;
const failure_code_ts_1 = require("../http/failure-code.js");
const stamp_ts_1 = require("./stamp.js");
/** The entry of an attempt in the history. */
function recordOf(attempt, delayMs, throttledMs, outcome, reason) {
    if (outcome.type === 'response') {
        const { status } = outcome;
        // A function that is retried has no status.
        return status === 0
            ? { attempt, delayMs, throttledMs, reason }
            : { attempt, delayMs, throttledMs, status, reason };
    }
    const code = (0, failure_code_ts_1.codeOf)(outcome.error);
    const failed = { attempt, delayMs, throttledMs, failure: outcome.kind };
    return code === undefined ? { ...failed, reason } : { ...failed, code, reason };
}
/** The trace of an object that ended several calls, and so has none of its own. */
const OF_MANY = [];
// One stamp for both: two of them share the code of their class, which makes each of them slower.
const traces = /* @__PURE__ */ (0, stamp_ts_1.sharedStamp)('traces');
/** Notes the trace of what a caller gets: a response, or an error. */
function remember(result, trace) {
    if (typeof result === 'object' && result !== null)
        traces.put(result, trace);
}
/** Notes the trace of a call that ended with the reason of its signal. The caller owns that object, and may use it again. */
function rememberReason(reason, trace) {
    const isFirst = typeof reason !== 'object' || reason === null || traces.get(reason) === undefined;
    remember(reason, isFirst ? trace : OF_MANY);
}
/**
 * The attempts that led to a response or an error of an ebb client; empty for anything else.
 *
 * @example
 * ```ts
 * import { attemptsOf } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const response = await createFetch()('https://api.example.com/');
 * for (const { attempt, status, reason } of attemptsOf(response)) console.log(attempt, status, reason);
 * ```
 */
function attemptsOf(result) {
    const trace = traceOf(result);
    return 'attempts' in trace ? trace.attempts : trace;
}
function traceOf(result) {
    if (typeof result !== 'object' || result === null)
        return OF_MANY;
    return traces.get(result) ?? traceOfCopy(result) ?? OF_MANY;
}
/** undici's redirect interceptor copies the context of a response, but the list of URLs in it stays the same object. */
function traceOfCopy(result) {
    try {
        const { history } = result;
        return Array.isArray(history) ? traces.get(history) : undefined;
    }
    catch {
        // The getters of some errors throw.
        return undefined;
    }
}
/**
 * The tokens of the last attempt, for a response or an error of an ebb client: to settle a cost that is known only after
 * the response. `undefined` if the policy has no bucket.
 *
 * @example
 * ```ts
 * import { grantOf, tokenBucket } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fetch = createFetch({ bucket: tokenBucket({ refillPerSecond: 1_000, capacity: 10_000 }), cost: 500 });
 * const response = await fetch('https://api.example.com/');
 * grantOf(response)?.settle(120); // Gives the other 380 tokens back.
 * ```
 */
function grantOf(result) {
    const trace = traceOf(result);
    return 'attempts' in trace ? trace.grant : undefined;
}
//# sourceMappingURL=history.js.map