"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.createFetch = createFetch;
const core_1 = require("@ebb/core");
const adapter_1 = require("@ebb/core/adapter");
const call_ts_1 = require("./call.js");
const preconnect_ts_1 = require("./preconnect.js");
const request_ts_1 = require("./request.js");
/**
 * A `fetch` that sends each request when the policy permits it, and retries it if the policy says so. It settles as the
 * last attempt does. Without a retry it behaves exactly like `baseFetch`.
 *
 * Requests reject with the errors of `baseFetch`, and with two of ebb's: `ThrottledError` if no token or slot can be had
 * in time for the first attempt, and `HookError` if a hook or a body factory throws.
 *
 * @param policyOrOptions a policy, which several clients can share, or the options of a new one; all defaults if omitted
 * @param baseFetch sends each attempt, called without a receiver; by default the global `fetch` at this moment
 * @throws TypeError, RangeError if an option is invalid, or `baseFetch` is not a function
 * @example
 * ```ts
 * import { tokenBucket } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fetch = createFetch({ maxRetries: 3, bucket: tokenBucket({ refillPerSecond: 50 }) });
 *
 * const response = await fetch('https://api.example.com/', { ebb: { attemptTimeoutMs: 2_000 } });
 * ```
 */
function createFetch(policyOrOptions = {}, baseFetch = globalThis.fetch) {
    const policy = (0, core_1.createPolicy)(policyOrOptions);
    if (typeof baseFetch !== 'function') {
        throw new TypeError(`createFetch: baseFetch must be a function, got ${typeof baseFetch}`);
    }
    const way = (0, adapter_1.isNativeFetch)(baseFetch) ? 'native-fetch' : 'client';
    // `name` and `length` are those of the native fetch.
    function fetch(input, init = undefined) {
        try {
            if ((0, request_ts_1.isSimple)(input, init) && (0, adapter_1.mayBeSentAtOnce)(policy, way))
                return sendAtOnce(input, init);
            const request = new request_ts_1.FetchRequest(input, init);
            const call = new call_ts_1.Call(baseFetch, request);
            const session = (0, adapter_1.startSession)(policy, request, init?.ebb, request.carried, way);
            const result = session === undefined ? call.sendBare() : (0, adapter_1.run)(session, call, call.signal);
            return call.mayLeaveOpen ? endAfter(result, call) : result;
        }
        catch (error) {
            return Promise.reject(error);
        }
    }
    /** Nothing is made before the first failure. */
    function sendAtOnce(input, init) {
        const after = (value, failed) => {
            const call = new call_ts_1.Call(baseFetch, new request_ts_1.FetchRequest(input, init));
            const session = new adapter_1.Session(policy, call.request, undefined, way);
            call.sent(session);
            return (0, adapter_1.goOn)(session, call, value, failed);
        };
        let sent;
        try {
            sent = baseFetch(input, init);
        }
        catch (error) {
            sent = Promise.reject(error);
        }
        // A mock may return something else than a promise.
        return Promise.resolve(sent).then((response) => {
            const status = (0, adapter_1.property)(response, 'status');
            if (!(status < 400))
                return after(response, false);
            (0, adapter_1.rememberSuccess)(response, status);
            return response;
        }, (error) => after(error, true));
    }
    (0, adapter_1.countLayer)(false, fetch);
    return (0, preconnect_ts_1.withPreconnect)(fetch, baseFetch);
}
/** Settles as `result` does, after it has ended the call. */
async function endAfter(result, call) {
    try {
        const response = await result;
        call.end(response, false);
        return response;
    }
    catch (error) {
        call.end(error, true);
        throw error;
    }
}
//# sourceMappingURL=create-fetch.js.map