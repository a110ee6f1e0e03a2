"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isOnce = isOnce;
exports.cancelUpload = cancelUpload;
const adapter_1 = require("@ebb/core/adapter");
/** True for a body that `fetch` can send only once: web and Node streams, async iterators. */
function isOnce(body) {
    if (typeof body !== 'object' || body === null)
        return false;
    return 'getReader' in body || 'pipe' in body || Symbol.asyncIterator in body;
}
/**
 * Closes the source of an upload, such as a file. Does nothing to a body that is not a stream or iterator, and to a web
 * stream that is being read.
 */
function cancelUpload(body, reason) {
    if ((0, adapter_1.isWebReadable)(body)) {
        if (!body.locked)
            body.cancel(reason).catch(() => undefined);
    }
    else if ((0, adapter_1.isNodeReadable)(body)) {
        // Without the reason: an error without a listener would end the process.
        body.destroy?.();
    }
    else if (typeof body?.return === 'function') {
        Promise.resolve(body.return(undefined)).catch(() => undefined);
    }
}
//# sourceMappingURL=kinds.js.map