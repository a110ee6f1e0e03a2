"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.bytesOf = bytesOf;
exports.peekAtWeb = peekAtWeb;
exports.peekAtPart = peekAtPart;
const body_ts_1 = require("../http/body.js");
/** A part of a body as bytes: text in UTF-8, a buffer or a view of one. None for anything else. */
function bytesOf(part) {
    if (typeof part === 'string')
        return new TextEncoder().encode(part);
    // By shape: a test runner may give each test file a `Uint8Array` of its own.
    if (ArrayBuffer.isView(part))
        return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    return (0, body_ts_1.bufferBytes)(part) === undefined ? new Uint8Array() : new Uint8Array(part);
}
/** A look at a web stream, which must be a copy: a branch of a tee, or the body of a clone. */
function peekAtWeb(copy) {
    const reader = copy.getReader();
    return {
        async read() {
            const { done, value } = await reader.read();
            return done ? undefined : bytesOf(value);
        },
        // Not awaited: cancelling one branch waits for the other.
        stop: () => void reader.cancel().catch(() => undefined),
    };
}
/** A look at a body that is in memory. */
function peekAtPart(part) {
    let isRead = false;
    return {
        async read() {
            if (isRead)
                return undefined;
            isRead = true;
            return part();
        },
        stop: () => undefined,
    };
}
//# sourceMappingURL=peeks.js.map