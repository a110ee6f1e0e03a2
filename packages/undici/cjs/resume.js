"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Download = void 0;
exports.isCutOff = isCutOff;
const headers_ts_1 = require("./headers.js");
/** RFC 9110 §14.4. A response with several ranges (multipart/byteranges) does not have this header. */
function contentRange(headers) {
    const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec((0, headers_ts_1.responseHeader)(headers, 'content-range') ?? '');
    if (match === null)
        return undefined;
    const [first = 0, last = 0, whole] = match.slice(1).map(Number);
    return first <= last ? { first, last, whole: Number.isNaN(whole) ? undefined : whole } : undefined;
}
function contentLength(headers) {
    const text = (0, headers_ts_1.responseHeader)(headers, 'content-length');
    return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
/**
 * The range of bytes in a response: all of a 200 that has a length, or the range of a 206. `undefined` if it is
 * unknown, or if the length contradicts the range.
 */
function bytesOf(status, headers) {
    const length = contentLength(headers);
    if (status === 200) {
        return length === undefined || length === 0 ? undefined : { first: 0, last: length - 1, whole: length };
    }
    const range = status === 206 ? contentRange(headers) : undefined;
    if (range === undefined || (length !== undefined && length !== range.last - range.first + 1))
        return undefined;
    return range.whole !== undefined && range.last >= range.whole ? undefined : range;
}
/** Headers that a request for the rest replaces. */
const REPLACED = new Set(['range', 'if-match', 'if-range']);
/** True if a response ended short of its length. undici reports this code after `Connection: close`. */
function isCutOff({ code }) {
    return code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}
/** A response that can be resumed if its connection breaks. */
class Download {
    #bytes;
    #etag;
    #encoding;
    #received = 0;
    /** The error that last broke it. */
    brokenBy;
    constructor(bytes, etag, headers) {
        this.#bytes = bytes;
        this.#etag = etag;
        this.#encoding = (0, headers_ts_1.responseHeader)(headers, 'content-encoding');
    }
    /**
     * `undefined` for a response that cannot be resumed. It must state its range and have a strong ETag: only that
     * guarantees that the rest has the same bytes, content coding included (RFC 9110 §8.8.1).
     */
    static of(request, status, headers) {
        const { etag } = headers;
        if (typeof etag !== 'string' || !/^"[^"]*"$/.test(etag) || request.method !== 'GET')
            return undefined;
        if ((0, headers_ts_1.responseHeader)(headers, 'accept-ranges')?.trim().toLowerCase() === 'none')
            return undefined;
        const bytes = bytesOf(status, headers);
        return bytes && new Download(bytes, etag, headers);
    }
    /** Counts a chunk; returns false if the body is longer than stated. */
    take(chunk) {
        this.#received += chunk.byteLength;
        return this.#next <= this.#bytes.last + 1;
    }
    /** Offset of the first missing byte. */
    get #next() {
        return this.#bytes.first + this.#received;
    }
    get isComplete() {
        return this.#next === this.#bytes.last + 1;
    }
    /** The headers of a request for the rest, which fails (412) if the resource has changed. */
    changesForRest(headers) {
        const kept = [...(0, headers_ts_1.headerPairs)(headers)].filter(([name]) => !REPLACED.has(name.toLowerCase()));
        const range = `bytes=${this.#next}-${this.#bytes.last}`;
        return { headers: [...kept.flat(1), 'range', range, 'if-match', this.#etag] };
    }
    /** True if a response is exactly the missing rest. */
    isContinuedBy(status, headers) {
        const bytes = status === 206 ? bytesOf(status, headers) : undefined;
        const { whole, last } = this.#bytes;
        return (bytes !== undefined &&
            bytes.first === this.#next &&
            bytes.last === last &&
            (bytes.whole === undefined || whole === undefined || bytes.whole === whole) &&
            headers.etag === this.#etag &&
            (0, headers_ts_1.responseHeader)(headers, 'content-encoding') === this.#encoding);
    }
}
exports.Download = Download;
//# sourceMappingURL=resume.js.map