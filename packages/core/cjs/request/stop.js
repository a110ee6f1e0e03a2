"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.stopped = stopped;
exports.isStop = isStop;
exports.abortOrStop = abortOrStop;
const errors_ts_1 = require("../base/errors.js");
const on_abort_ts_1 = require("../base/on-abort.js");
/** Why a request is not sent after the policy's `stopSignal` has aborted. */
function stopped() {
    return new errors_ts_1.ThrottledError('Not sent: the stopSignal of the policy has aborted', undefined, {
        reason: 'stopped',
    });
}
function isStop(error) {
    return error instanceof errors_ts_1.ThrottledError && error.reason === 'stopped';
}
/** Aborts with the reason of the caller's signal, or with {@link stopped}. */
function abortOrStop(own, stopSignal) {
    const end = new AbortController();
    const forgetStop = (0, on_abort_ts_1.onAbort)(stopSignal, () => end.abort(stopped()));
    if (own?.aborted)
        end.abort(own.reason);
    const forgetOwn = own && (0, on_abort_ts_1.onAbort)(own, () => end.abort(own.reason));
    return {
        signal: end.signal,
        forget() {
            forgetStop();
            forgetOwn?.();
        },
    };
}
//# sourceMappingURL=stop.js.map