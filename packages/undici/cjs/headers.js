"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.HeadersCopy = void 0;
exports.headOf = headOf;
exports.headerPairs = headerPairs;
exports.withRereadableHeaders = withRereadableHeaders;
exports.requestHeader = requestHeader;
exports.responseHeader = responseHeader;
function headOf(connection, status, headers, message) {
    return { status, headers, message, rawHeaders: connection?.rawHeaders ?? null };
}
/** The names of request headers, in their original case, and their values. */
function* headerPairs(headers) {
    if (typeof headers !== 'object' || headers === null)
        return;
    // undici itself takes no list of pairs, but some of its interceptors and other dispatchers do.
    if (Array.isArray(headers) && !Array.isArray(headers[0])) {
        for (let at = 0; at + 1 < headers.length; at += 2)
            yield [String(headers[at]), headers[at + 1]];
    }
    else if (Symbol.iterator in headers) {
        // undici rejects anything that is not a pair.
        for (const pair of headers) {
            if (Array.isArray(pair))
                yield [String(pair[0]), pair[1]];
        }
    }
    else {
        yield* Object.entries(headers);
    }
}
/** A copy of headers from an iterable that can perhaps be read only once. undici takes it as it takes a Map. */
class HeadersCopy {
    #entries;
    constructor(entries) {
        this.#entries = [...entries];
    }
    [Symbol.iterator]() {
        return this.#entries[Symbol.iterator]();
    }
}
exports.HeadersCopy = HeadersCopy;
/** True if headers can be read again: each attempt and each hook then sees the same. */
function isRereadable(headers) {
    return (!(Symbol.iterator in headers) ||
        Array.isArray(headers) ||
        headers instanceof Map ||
        Object.prototype.toString.call(headers) === '[object Headers]');
}
/**
 * The options with headers that can be read any number of times.
 *
 * @throws what the iterable of headers throws
 */
function withRereadableHeaders(options) {
    const { headers } = options;
    if (typeof headers !== 'object' || headers === null || isRereadable(headers))
        return options;
    return { ...options, headers: new HeadersCopy(headers) };
}
/**
 * The value of a request header.
 *
 * @param name in lower case
 */
function requestHeader(headers, name) {
    for (const [key, value] of headerPairs(headers)) {
        if (key.toLowerCase() !== name || value === null || value === undefined)
            continue;
        return Array.isArray(value) ? value.join(', ') : String(value);
    }
    return undefined;
}
/** The value of a response header; several values are joined with commas. */
function responseHeader(headers, name) {
    const value = headers[name];
    // Most fields that are looked for are missing. Others may be named like a member of Object.prototype.
    if (value === undefined || !Object.hasOwn(headers, name))
        return undefined;
    return Array.isArray(value) ? value.join(', ') : value;
}
//# sourceMappingURL=headers.js.map