"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.MOST_READ_AHEAD_BYTES = exports.MOST_KEPT_BYTES = void 0;
exports.bufferBytes = bufferBytes;
exports.readableBody = readableBody;
exports.isWebReadable = isWebReadable;
exports.isNodeReadable = isNodeReadable;
/** A request body up to this size is kept in memory for a retry: 1 MiB, as gRPC keeps for a call. */
exports.MOST_KEPT_BYTES = 1024 * 1024;
/** How much of a response body is read before anyone reads it, so that the end of a short one is seen: 64 KiB. */
exports.MOST_READ_AHEAD_BYTES = 64 * 1024;
/** The length of a buffer, in bytes; `undefined` for anything else. A buffer that was transferred to a worker has 0. */
function bufferBytes(body) {
    const length = typeof body === 'object' && body !== null ? body.byteLength : undefined;
    return typeof length === 'number' ? length : undefined;
}
/**
 * A request body as policies may see it; `undefined` for a stream or an iterator, which are read only by the client, and for a
 * function that makes the body.
 */
function readableBody(body) {
    if (typeof body === 'function' || body === null)
        return undefined;
    if (typeof body !== 'object')
        return body;
    const { next } = body;
    const isRead = isWebReadable(body) || isNodeReadable(body) || Symbol.asyncIterator in body || typeof next === 'function';
    return isRead ? undefined : body;
}
// By shape, because a body may come from another realm.
/** True for a web stream. */
function isWebReadable(body) {
    return typeof body?.getReader === 'function';
}
/** True for a readable stream of Node. */
function isNodeReadable(body) {
    const { pipe, on } = (body ?? {});
    return typeof pipe === 'function' && typeof on === 'function';
}
//# sourceMappingURL=body.js.map