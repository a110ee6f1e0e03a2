"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.DEEPEST_CAUSE = void 0;
exports.kindOfCode = kindOfCode;
exports.codeOf = codeOf;
exports.nameOf = nameOf;
const property_ts_1 = require("../base/property.js");
/**
 * Error codes of Node, undici, Bun and axios. Every other code is `unknown`, such as those of certificate and parse
 * errors, which a retry does not fix.
 */
const CODES = {
    // Nothing was sent: no address, or no connection.
    connect: 'ECONNREFUSED ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT ConnectionRefused FailedToOpenSocket',
    // The connection broke, possibly after the server has carried out the request.
    network: 'ECONNRESET ECONNABORTED EPIPE ENETDOWN ENETUNREACH ENETRESET EHOSTDOWN EHOSTUNREACH UND_ERR_SOCKET ' +
        'ERR_NETWORK ERR_STREAM_PREMATURE_CLOSE ERR_HTTP2_STREAM_ERROR ERR_HTTP2_SESSION_ERROR ' +
        'ERR_HTTP2_GOAWAY_SESSION ConnectionClosed',
    // No response in time.
    timeout: 'ETIMEDOUT ESOCKETTIMEDOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT Timeout',
    // Aborted by the caller.
    aborted: 'ABORT_ERR UND_ERR_ABORTED ERR_CANCELED',
};
/** The kind of failure that an error code stands for; `undefined` if it is not known. */
function kindOfCode(code) {
    const kinds = Object.keys(CODES);
    return kinds.find((kind) => CODES[kind].split(' ').includes(code));
}
/** How deep a chain of causes is followed. A chain may be a ring. */
exports.DEEPEST_CAUSE = 8;
/** Any other text could be anything, a URL with a key for instance, and codes go to logs. */
const IDENTIFIER = /^[\w.-]{1,64}$/;
/**
 * The code of an error or of one of its causes, else the name of the error; `undefined` if there is neither, or neither is
 * an identifier.
 */
function codeOf(error) {
    try {
        for (let at = error, depth = 0; depth < exports.DEEPEST_CAUSE; depth += 1) {
            if (typeof at !== 'object' || at === null)
                break;
            const { code, cause } = at;
            if (typeof code === 'string' && IDENTIFIER.test(code))
                return code;
            at = cause;
        }
        return nameOf(error);
    }
    catch {
        // The getters of some errors throw.
        return undefined;
    }
}
/** The name of an error; `undefined` for anything else, and for a name that is not an identifier. */
function nameOf(error) {
    if (!(error instanceof Error))
        return undefined;
    const name = (0, property_ts_1.property)(error, 'name');
    return typeof name === 'string' && IDENTIFIER.test(name) ? name : undefined;
}
//# sourceMappingURL=failure-code.js.map