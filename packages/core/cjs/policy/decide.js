"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SUCCESS = void 0;
exports.verdictOf = verdictOf;
exports.decide = decide;
exports.decideRetry = decideRetry;
const check_ts_1 = require("../base/check.js");
const errors_ts_1 = require("../base/errors.js");
const classify_ts_1 = require("../http/classify.js");
const jitter_ts_1 = require("../http/jitter.js");
const judged_ts_1 = require("../http/judged.js");
const server_feedback_ts_1 = require("../http/server-feedback.js");
const cost_ts_1 = require("./cost.js");
function stop(reason) {
    return { retry: false, reason };
}
/** After a success there is nothing to decide. */
exports.SUCCESS = stop('success');
/**
 * What an outcome means by its body, if `inspect` has judged that, or else by `classify`.
 *
 * @throws HookError if `classify` throws, or returns an invalid value
 */
function verdictOf(policy, outcome, progress) {
    const verdict = judgedOf(outcome) ?? classified(policy, outcome, progress);
    return verdict === 'refused' ? refusalOf(outcome) : verdict;
}
/** The refusal of a redirect's target says nothing about the first server, which may have carried out the request. */
function refusalOf({ redirected }) {
    return redirected === true ? 'transient' : 'refused';
}
function judgedOf(outcome) {
    return outcome.type === 'response' ? outcome.judgement?.verdict : undefined;
}
function classified(policy, outcome, { request, attempt }) {
    try {
        const verdict = policy.classify(outcome, request, attempt);
        if (verdict !== 'success')
            (0, classify_ts_1.checkVerdict)('its result', verdict);
        return verdict;
    }
    catch (cause) {
        // Of a hook inside of it.
        if (cause instanceof errors_ts_1.HookError)
            throw cause;
        throw new errors_ts_1.HookError('classify', cause);
    }
}
/** A success by its status that `classify` judges otherwise, such as a 202: the wait that it asks for counts. */
function asJudged(outcome, verdict) {
    const isSuccess = outcome.type === 'response' && outcome.status < 300 && outcome.judgement === undefined;
    return isSuccess ? (0, judged_ts_1.withJudgement)(outcome, { verdict }) : outcome;
}
/** What the server says besides the status; nothing after a failure. */
function feedbackOf(policy, progress, outcome, nowMs) {
    const { feedback } = policy;
    if (feedback === false || outcome.type !== 'response')
        return undefined;
    const { cost = (0, cost_ts_1.costOf)(policy, progress.request) } = progress;
    return (0, server_feedback_ts_1.readFeedback)(feedback, outcome, nowMs, cost);
}
/** The verdict, changed by what the server says. `isTold`: it says that the request should be sent again. */
function verdictAfter(verdict, outcome, said) {
    if (outcome.type !== 'response' || said.shouldRetry === false)
        return { verdict: 'final', isTold: false };
    const isJudged = outcome.judgement?.verdict !== undefined;
    // Of a redirect's target: the first server has not said it.
    const isTold = said.shouldRetry === true && outcome.redirected !== true && !(isJudged && verdict === 'final');
    if (verdict !== 'final' || isJudged)
        return { verdict, isTold };
    if (isTold)
        return { verdict: 'transient', isTold };
    const isLimit = (outcome.status === 403 || outcome.status === 413) && waitOf(said) > 0;
    return { verdict: isLimit ? refusalOf(outcome) : 'final', isTold };
}
function waitOf({ waitMs, pauseMs }) {
    const askedMs = waitMs ?? pauseMs;
    // A custom `feedback` may return something that is not a number.
    if (askedMs > 0)
        return askedMs;
    return 0;
}
function backoffOf(policy, step) {
    return (0, errors_ts_1.callHook)('backoff', () => {
        const delayMs = policy.backoff(step);
        if (delayMs !== undefined)
            (0, check_ts_1.notNegative)('its result', delayMs);
        return delayMs;
    });
}
/** The request without the idempotency key that its attempts did not carry. */
function withoutKey(request) {
    return {
        method: request.method,
        url: request.url,
        replayable: request.replayable,
        header: (name) => (name === 'idempotency-key' ? undefined : request.header(name)),
        get body() {
            return request.body;
        },
    };
}
/**
 * True if the policy allows to repeat a request that the server may have carried out.
 *
 * @throws HookError if `methods` throws, or returns something else than true or false
 */
function mayBeRepeated({ methods }, request) {
    if (methods === 'all')
        return true;
    if (typeof methods === 'function') {
        return (0, errors_ts_1.callHook)('methods', () => {
            const may = methods(request);
            // A promise is true in every condition.
            if (typeof may !== 'boolean')
                throw (0, check_ts_1.wrongType)('its result', 'true or false, at once', may);
            return may;
        });
    }
    return methods === 'idempotent' ? (0, classify_ts_1.isRepeatable)(request) : methods.includes(request.method.toUpperCase());
}
/** The wait that `inspect` has found, also if `feedback` does not pass it on. */
function judgedWaitMs(outcome) {
    return (outcome.type === 'response' ? outcome.judgement?.waitMs : undefined) ?? 0;
}
function isAbort(outcome) {
    return outcome.type === 'failure' && outcome.kind === 'aborted';
}
/**
 * Decides whether a request is sent again, when, and why. It reads no clock and does not wait. Its only side effect is that of
 * {@link Progress.permit}, which is asked last, so that a retry that is denied for another reason costs nothing.
 *
 * @throws HookError if a hook of the policy throws, or returns an invalid value
 */
function decide(policy, progress, outcome, nowMs) {
    const verdict = verdictOf(policy, outcome, progress);
    return verdict === 'success' ? exports.SUCCESS : decideRetry(policy, progress, outcome, verdict, nowMs);
}
/** {@link decide} after anything else. */
function decideRetry(policy, progress, outcome, before, nowMs) {
    const { request, attempt, startedAtMs = nowMs, previousBackoffMs } = progress;
    const said = feedbackOf(policy, progress, asJudged(outcome, before), nowMs);
    const { verdict, isTold } = said === undefined ? { verdict: before, isTold: false } : verdictAfter(before, outcome, said);
    if (verdict === 'final' || verdict === 'success')
        return stop(isAbort(outcome) ? 'aborted' : 'final');
    if (verdict !== 'refused' && !isTold && progress.isKeyed !== true) {
        if (!mayBeRepeated(policy, progress.isKeyLost ? withoutKey(request) : request))
            return stop('not-idempotent');
    }
    if (!request.replayable)
        return stop('not-replayable');
    if (attempt > policy.maxRetries)
        return stop('retries-exhausted');
    const { random } = policy;
    const backoffMs = backoffOf(policy, { retry: attempt, previousDelayMs: previousBackoffMs, random });
    if (backoffMs === undefined)
        return stop('backoff-exhausted');
    const askedMs = Math.max(said === undefined ? 0 : waitOf(said), judgedWaitMs(outcome));
    if (askedMs > policy.maxRetryAfterMs)
        return stop('retry-after-too-long');
    const delayMs = askedMs > backoffMs ? (0, jitter_ts_1.withJitter)(askedMs, random) : backoffMs;
    const { totalTimeoutMs } = policy;
    if (totalTimeoutMs !== undefined && nowMs + delayMs > startedAtMs + totalTimeoutMs) {
        return stop('deadline-exceeded');
    }
    const refusal = progress.permit?.({ reason: verdict, delayMs });
    return refusal === undefined ? { retry: true, reason: verdict, delayMs, backoffMs } : stop(refusal);
}
//# sourceMappingURL=decide.js.map