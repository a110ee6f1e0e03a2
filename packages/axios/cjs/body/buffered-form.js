"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.BufferedForm = void 0;
function isForm(data) {
    if (typeof data !== 'object' || data === null)
        return false;
    const methods = ['pipe', 'getHeaders', 'getBoundary', 'hasKnownLength', 'getLengthSync'];
    return methods.every((name) => typeof data[name] === 'function');
}
/** A form whose parts are all in memory, as one buffer that can be sent more than once. */
class BufferedForm {
    #form;
    #bytes;
    constructor(form, bytes) {
        this.#form = form;
        this.#bytes = bytes;
    }
    /** Returns `undefined` if `data` is not such a form, or contains a stream. */
    static of(data) {
        const bytes = isForm(data) ? bytesOf(data) : undefined;
        return bytes === undefined ? undefined : new BufferedForm(data, bytes);
    }
    /** Sets the headers that axios would set for the form, and returns its bytes. */
    next(config) {
        for (const [name, value] of Object.entries(this.#form.getHeaders())) {
            const isContent = /^content-(type|length)$/i.test(name);
            if (isContent || config.formDataHeaderPolicy !== 'content-only')
                config.headers.set(name, value);
        }
        return this.#bytes;
    }
}
exports.BufferedForm = BufferedForm;
/**
 * The form's bytes, read without consuming it. The package's own `getBuffer` differs from the stream for a part
 * with a custom header, and copies the whole buffer once per part. `_streams` is private, so the result counts only
 * if its length is the one that the form reports.
 */
function bytesOf(form) {
    const parts = form._streams;
    if (!Array.isArray(parts) || !form.hasKnownLength())
        return undefined;
    const text = new TextEncoder();
    const pieces = [];
    let isInMemory = true;
    const take = (part) => {
        if (typeof part === 'string')
            pieces.push(text.encode(part));
        else if (part instanceof Uint8Array)
            pieces.push(part);
        else
            isInMemory = false;
    };
    for (const part of parts) {
        if (typeof part === 'function')
            part(take);
        else
            take(part);
    }
    if (!isInMemory)
        return undefined;
    take(`--${form.getBoundary()}--\r\n`);
    const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    if (length !== form.getLengthSync())
        return undefined;
    const bytes = new Uint8Array(length);
    let offset = 0;
    for (const piece of pieces) {
        bytes.set(piece, offset);
        offset += piece.byteLength;
    }
    return bytes.buffer;
}
//# sourceMappingURL=buffered-form.js.map