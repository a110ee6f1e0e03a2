"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.keepBody = keepBody;
const adapter_1 = require("@ebb/core/adapter");
/** A body is kept up to this many chunks: they queue up if the source is faster than the upload. */
const MOST_KEPT_CHUNKS = 4096;
/**
 * Copies the body of a `Request` while it is sent. A `Request` does not reveal whether its body is a string or an endless
 * stream, so the copy is bounded: past the bound it is dropped, and the upload goes on without it.
 */
function keepBody(request) {
    const reader = request.clone().body?.getReader();
    const stop = () => void reader?.cancel().catch(() => undefined);
    const kept = { whole: undefined, stop };
    // The upload fails with the same error.
    if (reader !== undefined)
        readAll(reader).then((whole) => {
            kept.whole = whole;
        }, () => undefined);
    return kept;
}
async function readAll(reader) {
    const chunks = [];
    let bytes = 0;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        bytes += chunk.value.byteLength;
        if (bytes > adapter_1.MOST_KEPT_BYTES || chunks.length === MOST_KEPT_CHUNKS) {
            reader.cancel().catch(() => undefined);
            return undefined;
        }
        chunks.push(chunk.value);
    }
    return new Blob(chunks);
}
//# sourceMappingURL=kept-body.js.map