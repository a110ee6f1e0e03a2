"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.callerSignal = callerSignal;
exports.asCanceled = asCanceled;
const adapter_1 = require("@ebb/core/adapter");
const axios_copy_ts_1 = require("./axios-copy.js");
const nothing = () => { };
/** Returns `undefined` if the config has neither. */
function callerSignal(config) {
    // axios uses no more of a signal than ebb does; that of an old polyfill has no `reason`.
    const signal = config.signal;
    const token = config.cancelToken;
    if (token === undefined || token === null)
        return signal ? { signal, release: nothing } : undefined;
    const either = new AbortController();
    const onCancel = (reason) => either.abort(reason);
    const onSignal = () => either.abort(signal?.reason);
    token.subscribe(onCancel);
    signal?.addEventListener('abort', onSignal, { once: true });
    return {
        signal: either.signal,
        release() {
            token.unsubscribe(onCancel);
            signal?.removeEventListener('abort', onSignal);
        },
    };
}
/**
 * The error that the caller of an aborted request gets: axios's own CanceledError with the signal's reason as its
 * cause, whether the abort came during a wait or during an attempt. Returns any other error unchanged.
 *
 * Without any copy of axios it returns the signal's reason: axios itself turns any error that arrives while the signal is
 * aborted into its CanceledError.
 */
function asCanceled(error, signal, config, copy) {
    if (!signal?.aborted)
        return error;
    const { reason } = signal;
    const canceled = canceledError(error, reason, config, copy);
    if (canceled === undefined)
        return error;
    if (canceled.cause === undefined && reason !== canceled) {
        // Not enumerable, as with `new Error(message, { cause })`, so that loggers do not descend into it.
        Object.defineProperty(canceled, 'cause', { value: reason, writable: true, configurable: true });
    }
    return canceled;
}
function canceledError(error, reason, config, copy) {
    // The mark that `axios.isCancel` looks for.
    if ((0, adapter_1.property)(error, '__CANCEL__'))
        return error;
    if (error !== reason)
        return undefined;
    const found = copy ?? (0, axios_copy_ts_1.anyCopy)();
    return found && new found.CanceledError(undefined, config);
}
//# sourceMappingURL=cancel.js.map