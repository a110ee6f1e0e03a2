"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.broke = broke;
exports.respondedRest = respondedRest;
exports.received = received;
const adapter_1 = require("@ebb/core/adapter");
const resume_ts_1 = require("./resume.js");
const traits_ts_1 = require("./traits.js");
/** True if the error of an attempt in a body is the end of the request: its download cannot be resumed. */
function isFinal({ downstream, download }) {
    return downstream.controller.aborted || downstream.threw || download === undefined || download.isComplete;
}
/** An attempt has failed in a body that the handler is receiving. */
function broke(steps, attempt, error) {
    const { downstream, download, options } = steps;
    if (isFinal(steps)) {
        steps.finish(error);
        return;
    }
    download.brokenBy = error;
    downstream.controller.attach(undefined);
    const kind = (0, resume_ts_1.isCutOff)(error) ? 'network' : (0, adapter_1.failureKind)(error);
    const retry = steps.judge(attempt, (0, traits_ts_1.failureOutcome)(attempt, kind, error, options));
    if (retry)
        steps.wait(error);
    else if (retry === false)
        steps.finish(error);
}
/** The response to a request for the rest of a broken download. */
function respondedRest(steps, attempt, head, download, brokenBy) {
    const { status, headers } = head;
    const isRest = download.isContinuedBy(status, headers);
    // A response that is not the rest of the download is a failure, even with a status of success.
    const isMismatch = !isRest && status < 400;
    const outcome = isMismatch
        ? { type: 'failure', kind: 'unknown', error: brokenBy }
        : (0, traits_ts_1.responseOutcome)(attempt, status, headers);
    const retry = steps.judge(attempt, outcome);
    if (retry) {
        steps.setAside(attempt, head);
    }
    else if (retry === false && isRest) {
        attempt.forward();
        steps.downstream.controller.attach(attempt.connection);
    }
    else if (retry === false) {
        steps.giveUp(attempt, brokenBy);
    }
}
/** A chunk of a response that can be resumed. */
function received(steps, attempt, chunk, download) {
    const isWithin = download.take(chunk);
    if (!isWithin && download.brokenBy !== undefined) {
        steps.giveUp(attempt, download.brokenBy);
        return;
    }
    // Longer than the server said: an interceptor changes the body, so offsets in it are not those of the server.
    if (!isWithin)
        steps.download = undefined;
    steps.downstream.data(chunk);
}
//# sourceMappingURL=resuming.js.map