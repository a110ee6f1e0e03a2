"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.rereadableHeaders = rereadableHeaders;
exports.headerIn = headerIn;
function isRereadable(headers) {
    return Array.isArray(headers) || typeof headers.get === 'function';
}
/**
 * A copy of headers that came as an iterator, which can be read only once; `undefined` for other headers. It reads the
 * iterator lazily, so that errors of the iterator surface where fetch reads it.
 */
function rereadableHeaders(headers) {
    if (typeof headers !== 'object' || headers === null || isRereadable(headers))
        return undefined;
    const { [Symbol.iterator]: iterate } = headers;
    if (typeof iterate !== 'function')
        return undefined;
    const read = [];
    let source;
    return {
        *[Symbol.iterator]() {
            for (let at = 0;; at += 1) {
                if (at === read.length) {
                    source ??= iterate.call(headers);
                    const next = source.next();
                    if (next.done)
                        return;
                    // A pair may be an iterator as well. For anything else the base fetch throws.
                    read.push(typeof next.value === 'object' ? [...next.value] : next.value);
                }
                yield read[at];
            }
        },
    };
}
/** A request header by its lower-case name; `undefined` also if the base fetch will reject the headers. */
function headerIn(headers, name) {
    try {
        return new Headers(headers).get(name) ?? undefined;
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=headers.js.map