"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.judgeIn = judgeIn;
const core_1 = require("@ebb/core");
/** True if code of the user runs when this outcome is judged. Entering the context takes a tenth of a request. */
function callsBack({ onEvent, classify, bucket, budget }, outcome) {
    const isSuccess = outcome.type === 'response' && outcome.status < 400;
    return !isSuccess || onEvent !== undefined || classify !== core_1.classifyHttp || (bucket ?? budget) !== undefined;
}
/** A function of the module: a closure would be allocated for each response. */
function mustRetry(session, outcome, hasAnswer) {
    return session.judge(outcome, hasAnswer).retry;
}
/**
 * Judges the outcome of an attempt, in the context of its request if the user's code may run; true for a retry. undici reports a
 * response in the async context of whichever request opened its connection.
 *
 * @throws HookError if a hook fails
 */
function judgeIn(context, session, outcome, hasAnswer) {
    return callsBack(session.policy, outcome)
        ? context.runInAsyncScope(mustRetry, undefined, session, outcome, hasAnswer)
        : mustRetry(session, outcome, hasAnswer);
}
//# sourceMappingURL=judge.js.map