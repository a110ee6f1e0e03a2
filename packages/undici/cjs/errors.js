"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.headersTimeoutError = headersTimeoutError;
exports.requestAbortedError = requestAbortedError;
exports.isClosedError = isClosedError;
exports.isTunnelError = isTunnelError;
exports.namingOldUndici = namingOldUndici;
const adapter_1 = require("@ebb/core/adapter");
/**
 * An instance of an error class of undici, made without importing undici: its classes recognise their instances by
 * symbols of the global registry, so `error instanceof errors.HeadersTimeoutError` is true in every copy of undici.
 */
function undiciError(name, code, message) {
    return Object.defineProperties(Object.assign(new Error(message), { code }), {
        name: { value: name, configurable: true, writable: true },
        [Symbol.for('undici.error.UND_ERR')]: { value: true },
        [Symbol.for(`undici.error.${code}`)]: { value: true },
    });
}
/** The error of undici if no response headers came in time. */
function headersTimeoutError(afterMs) {
    return undiciError('HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT', `No response within ${afterMs} ms`);
}
/** The error of undici for an abort without a reason. */
function requestAbortedError(message = 'Request aborted') {
    return undiciError('AbortError', 'UND_ERR_ABORTED', message);
}
/** True if the dispatcher was closed or destroyed before it took the request. */
function isClosedError(error) {
    const code = (0, adapter_1.property)(error, 'code');
    return code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED';
}
/** True if a proxy hung up before it opened a tunnel. */
function isTunnelError(error) {
    return (0, adapter_1.property)(error, 'code') === 'UND_ERR_PRX_CONN';
}
const OLD_METHOD = /^invalid on(Connect|Error) method$/;
/**
 * undici 6 and older take legacy handlers only, and report a missing method. Replaces that error with one that names the
 * versions.
 */
function namingOldUndici(error) {
    const message = (0, adapter_1.property)(error, 'message');
    const isOld = typeof message === 'string' && OLD_METHOD.test(message);
    if (!isOld || (0, adapter_1.property)(error, 'code') !== 'UND_ERR_INVALID_ARG')
        return error;
    const text = 'ebbInterceptor needs a dispatcher of undici 7 or 8, and was composed on one of undici 6 or older';
    return new TypeError(text, { cause: error });
}
//# sourceMappingURL=errors.js.map