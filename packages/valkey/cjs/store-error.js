"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.InvalidReply = void 0;
exports.messageOf = messageOf;
exports.isPermanent = isPermanent;
exports.withoutSecrets = withoutSecrets;
exports.noReply = noReply;
const bucket_1 = require("@ebb/core/bucket");
/** The message of any thrown value. */
function messageOf(error) {
    const message = (0, bucket_1.property)(error, 'message');
    if (typeof message === 'string')
        return message.trim();
    return typeof error === 'object' ? 'an error without a message' : String(error);
}
/**
 * Permanent errors of a server: a missing right, an unsuitable server, a key of another type. GLIDE puts them in the
 * middle of its message, and renames some.
 */
const REFUSALS = /\b(NOAUTH|WRONGPASS|NOPERM|DENIED|NOPROTO|WRONGTYPE|READONLY|OOM|MISCONF|CROSSSLOT|ERR(?! max number of clients)|EBB|PermissionDenied)\b/;
/** The client was closed, and does not reconnect. */
const CLOSED = /^(Connection is closed\.|The client is closed|Unable to execute requests; the client is closed)/;
/** Node's codes for TLS failures: protocol and certificates. */
const TLS = /^EPROTO$|_SSL_|_TLS_|CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$/;
/** The reply does not come from the script. */
class InvalidReply extends Error {
}
exports.InvalidReply = InvalidReply;
/**
 * Whether an error is permanent, so that waiting is useless. A refused or broken connection is not permanent: the
 * store, or a proxy in front of it, may be starting. An unknown error is not either, because every wait is bounded.
 */
function isPermanent(error) {
    const code = (0, bucket_1.property)(error, 'code');
    if (error instanceof InvalidReply || (typeof code === 'string' && TLS.test(code)))
        return true;
    const message = messageOf(error);
    return REFUSALS.test(message) || CLOSED.test(message);
}
/** Errors of ioredis and iovalkey contain the failed command. For a login that includes the password. */
function withoutSecrets(error) {
    // The error that made a cluster client give up.
    const inner = (0, bucket_1.property)(error, 'lastNodeError');
    if ((0, bucket_1.property)(inner, 'message') !== undefined)
        return new Error(`${messageOf(error)} ${messageOf(inner)}`);
    const command = (0, bucket_1.property)((0, bucket_1.property)(error, 'command'), 'name');
    return /^(auth|hello)$/i.test(String(command)) ? new Error(messageOf(error)) : error;
}
/** The error for a call without a reply in time. `connectionError`: the last error of its connection, if any. */
function noReply(waitedMs, connectionError) {
    if (isPermanent(connectionError))
        return connectionError;
    const message = `The store did not reply within ${Math.round(waitedMs)} ms`;
    return connectionError === undefined
        ? new Error(message)
        : new Error(`${message}: ${messageOf(connectionError)}`, { cause: connectionError });
}
//# sourceMappingURL=store-error.js.map