"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.OutOfTime = void 0;
exports.timeoutError = timeoutError;
exports.settledWithin = settledWithin;
const on_abort_ts_1 = require("../base/on-abort.js");
/** A timeout has passed while the attempt was prepared. An adapter replaces it with the timeout error of its client. */
class OutOfTime extends Error {
    name = 'TimeoutError';
    timeoutMs;
    /** True for the total timeout of the request, false for that of the attempt. */
    isTotal;
    constructor(timeoutMs, isTotal) {
        super(`not sent within ${timeoutMs} ms`);
        this.timeoutMs = timeoutMs;
        this.isTotal = isTotal;
    }
}
exports.OutOfTime = OutOfTime;
/** The error for a timeout, as `AbortSignal.timeout` makes it. */
function timeoutError(timeoutMs) {
    return new DOMException(`no response within ${timeoutMs} ms`, 'TimeoutError');
}
/** Settles as user code does, or rejects when the signal aborts or the time is over. User code cannot be stopped. */
function settledWithin(work, { clock, signal, leftMs, late }) {
    return new Promise((resolve, reject) => {
        const forget = signal && (0, on_abort_ts_1.onAbort)(signal, () => end(() => reject(signal.reason)));
        const cancel = leftMs === Number.POSITIVE_INFINITY
            ? undefined
            : clock.schedule(() => end(() => reject(late())), Math.max(0, leftMs));
        const end = (how) => {
            forget?.();
            cancel?.();
            how();
        };
        // Also if it is not waited for: no one else handles its rejection.
        work.then((value) => end(() => resolve(value)), (error) => end(() => reject(error)));
        if (signal?.aborted)
            end(() => reject(signal.reason));
        else if (leftMs <= 0)
            end(() => reject(late()));
    });
}
//# sourceMappingURL=out-of-time.js.map