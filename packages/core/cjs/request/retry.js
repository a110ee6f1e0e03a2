"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.retry = retry;
const _platform_1 = require("#platform");
const check_ts_1 = require("../base/check.js");
const errors_ts_1 = require("../base/errors.js");
const foreign_signal_ts_1 = require("../base/foreign-signal.js");
const on_abort_ts_1 = require("../base/on-abort.js");
const options_ts_1 = require("../base/options.js");
const property_ts_1 = require("../base/property.js");
const any_headers_ts_1 = require("../http/any-headers.js");
const classify_ts_1 = require("../http/classify.js");
const failure_ts_1 = require("../http/failure.js");
const policy_ts_1 = require("../policy/policy.js");
const out_of_time_ts_1 = require("./out-of-time.js");
const run_ts_1 = require("./run.js");
const session_ts_1 = require("./session.js");
const RETRY_OPTIONS = {
    signal: { check: (0, check_ts_1.having)('a signal', 'addEventListener') },
    judge: { check: check_ts_1.callable },
};
/** A function may be called again, or it should not be given to `retry`. Copied for each call, since hooks tell calls by it. */
const REQUEST = { method: 'GET', url: '', replayable: true, header: () => undefined };
/**
 * Calls a function until the policy stops, and settles as its last call does. For work that is no HTTP request: a database
 * query, a queue, an SDK. Backoff, budget, bucket, slots, timeouts, events and history are those of the policy.
 *
 * An error with a `status`, as SDKs throw them, is read as a response would be: its `Retry-After` holds, and a 400 is not
 * called again. The error itself is unchanged.
 *
 * Requests that the function sends with an ebb client are retried by that client, and so is a `retry` within it. If one of
 * them was repeated and failed, and the function then fails, it is not called again: attempts do not multiply. Such requests
 * do not wait for a slot of a limit of which the function holds one, and the first is paid for by the function's tokens.
 *
 * @param call the function. It must be safe to call again
 * @param policyOrOptions a policy, or the options of a new one
 * @throws what the last call threw; the signal's reason; ThrottledError and HookError as all clients of ebb
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { retry } from '@ebb/core';
 *
 * const rows = await retry(() => db.query('select 1'), { maxRetries: 3 });
 * declare const db: { query(sql: string): Promise<unknown[]> };
 * ```
 */
async function retry(call, policyOrOptions = {}, options = {}) {
    (0, check_ts_1.callable)('retry: call', call);
    const { signal, judge } = (0, options_ts_1.readOptions)('retry', options, RETRY_OPTIONS);
    const policy = (0, policy_ts_1.createPolicy)(policyOrOptions);
    const { classify } = policy;
    const judging = (outcome, _request, attempt) => judged(outcome, judge, attempt) ?? byDefault(outcome, classify, attempt);
    const request = { ...REQUEST };
    const around = (0, _platform_1.surroundings)(request, undefined, false);
    const session = new session_ts_1.Session((0, policy_ts_1.overridePolicy)(policy, { classify: judging }), request, around, 'function');
    const followed = signal && (0, foreign_signal_ts_1.followForeign)(signal);
    const own = followed?.signal ?? signal;
    try {
        return await (0, run_ts_1.run)(session, new Calls(call, own), own);
    }
    finally {
        followed?.release();
    }
}
/** @throws HookError if `judge` throws, or returns an invalid value */
function judged(outcome, judge, attempt) {
    const settled = settledIn(outcome);
    if (judge === undefined || settled === undefined)
        return undefined;
    return (0, errors_ts_1.callHook)('judge', () => {
        const verdict = judge(settled, attempt);
        if (verdict !== undefined)
            (0, classify_ts_1.checkVerdict)('its result', verdict);
        return verdict;
    });
}
/** How the call ended; `undefined` if the caller aborted it. */
function settledIn(outcome) {
    if (outcome instanceof ValueOutcome)
        return { type: 'value', value: outcome.value };
    if (outcome instanceof StatusOutcome)
        return { type: 'error', error: outcome.error };
    if (outcome.type === 'response' || outcome.kind === 'aborted')
        return undefined;
    return { type: 'error', error: outcome.error };
}
function byDefault(outcome, classify, attempt) {
    if (outcome instanceof ValueOutcome)
        return 'success';
    const isKnown = outcome.type === 'response' || outcome.kind === 'aborted' || classify !== classify_ts_1.classifyHttp;
    return isKnown ? classify(outcome, REQUEST, attempt) : 'transient';
}
/** The outcome of a call that returned. */
class ValueOutcome {
    type = 'response';
    /** None: the history shows no status. */
    status = 0;
    value;
    constructor(value) {
        this.value = value;
    }
    header() {
        return undefined;
    }
}
/** The outcome of a call that threw an error with a status. */
class StatusOutcome {
    type = 'response';
    status;
    error;
    constructor(status, error) {
        this.status = status;
        this.error = error;
    }
    header(name) {
        const { error } = this;
        // `$response` is that of the AWS SDK.
        for (const holder of [error, (0, property_ts_1.property)(error, 'response'), (0, property_ts_1.property)(error, '$response')]) {
            const value = (0, any_headers_ts_1.headerIn)((0, property_ts_1.property)(holder, 'headers'), name);
            if (value !== undefined)
                return value;
        }
        return undefined;
    }
}
/** The status that an error carries: OpenAI, Anthropic, axios, octokit; `statusCode`: undici, AI SDK, Stripe. */
function statusOf(error) {
    const response = (0, property_ts_1.property)(error, 'response');
    const found = [
        (0, property_ts_1.property)(error, 'status'),
        (0, property_ts_1.property)(error, 'statusCode'),
        (0, property_ts_1.property)(response, 'status'),
        (0, property_ts_1.property)((0, property_ts_1.property)(error, '$metadata'), 'httpStatusCode'),
    ];
    return found.find((status) => typeof status === 'number' && status >= 400 && status < 600);
}
/** Calls a function once for each attempt. */
class Calls {
    #call;
    #signal;
    #timedOut = false;
    constructor(call, signal) {
        this.#call = call;
        this.#signal = signal;
    }
    async send(session) {
        const { attempt, policy } = session;
        const timeoutMs = session.timeoutMs();
        this.#timedOut = false;
        const controller = new AbortController();
        const own = this.#signal;
        // Unlike a client, a function need not look at its signal: it would do work that no one waits for, or never end.
        if (own?.aborted)
            throw own.reason;
        const call = this.#call;
        return new Promise((resolve, reject) => {
            const stop = (reason) => {
                controller.abort(reason);
                reject(reason);
            };
            const forget = own && (0, on_abort_ts_1.onAbort)(own, () => stop(own.reason));
            const timedOut = () => {
                this.#timedOut = true;
                stop((0, out_of_time_ts_1.timeoutError)(session.namedTimeoutMs));
            };
            const cancel = timeoutMs === undefined ? undefined : policy.clock.schedule(timedOut, timeoutMs);
            session.occupy(1);
            const settle = () => {
                forget?.();
                cancel?.();
                session.occupy(-1);
            };
            const called = session.sending(async () => call({ attempt, signal: controller.signal }));
            called.then(resolve, reject);
            called.then(settle, settle);
        });
    }
    outcome(value) {
        return new ValueOutcome(value);
    }
    failure(error) {
        if (this.#timedOut)
            return { type: 'failure', kind: 'timeout', error };
        const status = statusOf(error);
        if (status !== undefined)
            return new StatusOutcome(status, error);
        return { type: 'failure', kind: (0, failure_ts_1.failureKind)(error), error };
    }
    setAside() {
        return undefined;
    }
}
//# sourceMappingURL=retry.js.map