"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.bodyOf = bodyOf;
const node_stream_1 = require("node:stream");
const adapter_1 = require("@ebb/core/adapter");
const headers_ts_1 = require("../headers.js");
const body_factory_ts_1 = require("./body-factory.js");
const iterable_body_ts_1 = require("./iterable-body.js");
/** Where `fetch` puts the body for a MockAgent that lets the request through; the same object as `body` otherwise. */
const FETCH_BODY = '__mockAgentBodyForDispatch';
/** A body in memory. A buffer that was transferred to a worker since the first attempt has length 0. */
class Bytes {
    #body;
    #byteLength;
    constructor(body) {
        this.#body = body;
        this.#byteLength = body.byteLength;
    }
    get replayable() {
        return this.#body.byteLength === this.#byteLength;
    }
    take() {
        return { body: this.#body };
    }
}
/** A stream. It is sent again only if it is unread (after a refused connection, say) or was empty. */
class Stream {
    #body;
    #isAbandoned = false;
    constructor(body) {
        this.#body = body;
    }
    get replayable() {
        const { readableDidRead } = this.#body;
        // Streams that are not Node's own (that of the form-data package, say) do not report whether they were read.
        const reportsReads = typeof readableDidRead === 'boolean' || this.#body instanceof ReadableStream;
        return this.#wasEmpty || (reportsReads && !this.#isAbandoned && !node_stream_1.Readable.isDisturbed(this.#body));
    }
    /** `undici.pipeline` gives every request a stream, even if there is nothing to send. */
    get #wasEmpty() {
        return this.#body.readableEnded && !this.#body.readableDidRead;
    }
    take() {
        return { body: this.#wasEmpty ? null : this.#body };
    }
    abandoned() {
        this.#isAbandoned = true;
    }
    unsent(reason) {
        const body = this.#body;
        if (!(body instanceof ReadableStream))
            body.destroy();
        else if (!body.locked)
            body.cancel(reason).catch(() => undefined);
    }
}
/**
 * True for the generator that `fetch` makes of a body of known, small length: a string, buffer, blob or form, never a
 * stream. The generator is all that a dispatcher gets, and it can be read only once, so its chunks are recorded.
 */
function isRecordable(headers) {
    let length = Number.NaN;
    let isFetch = false;
    for (const [name, value] of (0, headers_ts_1.headerPairs)(headers)) {
        if (name === 'content-length')
            length = Number(value);
        else if (name === 'sec-fetch-mode')
            isFetch = true;
    }
    return isFetch && length <= adapter_1.MOST_KEPT_BYTES;
}
function tagOf(body) {
    return Object.prototype.toString.call(body).slice(8, -1);
}
/** @param names the options that hold the body */
function iterableBody(body, headers, ...names) {
    return tagOf(body) === 'AsyncGenerator' && isRecordable(headers)
        ? new iterable_body_ts_1.Recording(body, names)
        : new iterable_body_ts_1.SentOnce(body, names);
}
/** The body of a request; `undefined` if the options can be dispatched again as they are, or undici refuses the body. */
function bodyOf(options) {
    const { headers } = options;
    const body = options.body;
    const fetchBody = options[FETCH_BODY];
    if (fetchBody) {
        return iterableBody(fetchBody, headers, FETCH_BODY, ...(fetchBody === body ? ['body'] : []));
    }
    if (typeof body === 'function')
        return new body_factory_ts_1.BodyFactoryCalls(body);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
        return undefined;
    if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer)
        return new Bytes(body);
    if ('pipe' in body || 'getReader' in body)
        return new Stream(body);
    // A FormData is iterable as well, but undici reads it anew for each dispatch.
    if (tagOf(body) === 'FormData' || !(Symbol.asyncIterator in body || Symbol.iterator in body)) {
        return undefined;
    }
    return iterableBody(body, headers, 'body');
}
//# sourceMappingURL=body-of.js.map