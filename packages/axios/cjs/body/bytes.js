"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.bytesOf = bytesOf;
const adapter_1 = require("@ebb/core/adapter");
const encoder = new TextEncoder();
/** A part of a body as bytes: text in UTF-8, a buffer or a view of one. None for anything else. */
function bytesOf(part) {
    if (typeof part === 'string')
        return encoder.encode(part);
    // By shape: a test runner may give each test file a `Uint8Array` of its own.
    if (ArrayBuffer.isView(part))
        return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    return (0, adapter_1.bufferBytes)(part) === undefined ? new Uint8Array() : new Uint8Array(part);
}
//# sourceMappingURL=bytes.js.map