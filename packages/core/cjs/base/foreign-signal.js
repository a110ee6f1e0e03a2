"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.followForeign = followForeign;
const on_abort_ts_1 = require("./on-abort.js");
function isNative(signal) {
    return signal instanceof AbortSignal;
}
/** Follows a signal of another library; `undefined` for a native one. */
function followForeign(signal) {
    if (isNative(signal))
        return undefined;
    const own = new AbortController();
    const abort = () => own.abort(signal.reason);
    if (signal.aborted)
        abort();
    return { signal: own.signal, release: (0, on_abort_ts_1.onAbort)(signal, abort) };
}
//# sourceMappingURL=foreign-signal.js.map