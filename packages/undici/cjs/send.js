"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.send = send;
const adapter_1 = require("@ebb/core/adapter");
const errors_ts_1 = require("./errors.js");
const header_changes_ts_1 = require("./header-changes.js");
const traits_ts_1 = require("./traits.js");
/**
 * Dispatches one attempt of a request.
 *
 * @param isFirst true until the caller's `dispatch` returns: errors of the dispatcher are then thrown to the caller
 * @returns what `dispatch` returns: whether the caller may go on dispatching
 * @throws what the dispatcher throws, or what the handler throws when it is given an error
 */
function send(steps, attempt, isFirst) {
    const { options, session, body, download } = steps;
    const taken = body?.take();
    const changes = session.headerChanges;
    const made = changes === undefined ? taken : { ...taken, headers: (0, header_changes_ts_1.changedHeaders)(options.headers, changes) };
    if (made !== undefined)
        attempt.reads(body, made);
    const rest = download?.changesForRest(made?.headers ?? options.headers);
    try {
        return dispatch(steps, attempt, rest ? { ...made, ...rest } : made);
    }
    catch (thrown) {
        // Thrown by the handler: passed up, as without ebb.
        if (attempt.over)
            throw thrown;
        const error = (0, errors_ts_1.namingOldUndici)(thrown);
        if (isFirst)
            return dispatcherThrew(steps, attempt, error);
        attempt.onResponseError(undefined, error);
        return false;
    }
}
/** @param changes options that the attempt has in place of the request's own */
function dispatch({ composition, options, session }, attempt, changes) {
    const { layer } = session;
    if (layer === undefined)
        return composition.dispatch(changes === undefined ? options : { ...options, ...changes }, attempt);
    // Interceptors pass unknown options on, and undici does not send them.
    const layered = { ...options, ...changes, [adapter_1.LAYER]: layer };
    return session.sending(composition.dispatch.bind(undefined, layered, attempt));
}
/** A dispatcher that throws reports nothing to its handler. Unless there is a retry, throws to the caller as well. */
function dispatcherThrew(steps, attempt, error) {
    const retry = steps.judge(attempt, (0, traits_ts_1.failureOutcome)(attempt, (0, adapter_1.failureKind)(error), error, steps.options));
    attempt.drop(error);
    if (retry === undefined)
        return false;
    if (retry) {
        steps.wait(error);
        return true;
    }
    attempt.releaseBody();
    steps.body?.close?.();
    (0, adapter_1.remember)(error, steps.session.trace);
    steps.downstream.endSilently();
    throw error;
}
//# sourceMappingURL=send.js.map