"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.FetchRequest = void 0;
exports.isSimple = isSimple;
const adapter_1 = require("@ebb/core/adapter");
const _platform_1 = require("#platform");
const absolute_url_ts_1 = require("./absolute-url.js");
const kinds_ts_1 = require("./body/kinds.js");
const upload_ts_1 = require("./body/upload.js");
const changes_ts_1 = require("./changes.js");
const headers_ts_1 = require("./headers.js");
/**
 * True if the arguments of a call can be passed on as they are, and again for a retry: no body that can be used up, nothing that may
 * end the call early, nothing for ebb, and a method for which the first hop does not matter.
 */
function isSimple(input, init) {
    if (typeof input !== 'string' && !(input instanceof URL))
        return false;
    if (init === undefined)
        return true;
    if (typeof init !== 'object' || init === null)
        return false;
    const { method, body, headers } = init;
    if (init.signal || init.ebb !== undefined || init[adapter_1.LAYER] !== undefined)
        return false;
    if (body !== undefined && typeof body !== 'string')
        return false;
    if (method !== undefined && !(0, adapter_1.isIdempotent)(method))
        return false;
    return headers === undefined || (0, headers_ts_1.rereadableHeaders)(headers) === undefined;
}
/** The arguments of a call of `fetch`, and the traits that policies and hooks see. */
class FetchRequest {
    #input;
    #init;
    /** The input, if it is a `Request`. */
    #request;
    /** The headers of the init, if they came as an iterator, which can be read only once. */
    #headers;
    #upload;
    /** The caller's signal. */
    signal;
    constructor(input, init) {
        this.#input = input;
        this.#init = init;
        this.#request = (0, changes_ts_1.isRequest)(input) ? input : undefined;
        const headers = init?.headers;
        if (headers !== undefined)
            this.#headers = (0, headers_ts_1.rereadableHeaders)(headers);
        const own = init?.signal;
        const signal = own === undefined ? this.#request?.signal : own;
        // For any other value the base fetch throws.
        this.signal = typeof signal?.addEventListener === 'function' ? signal : undefined;
    }
    get method() {
        const own = this.#init?.method;
        if (own !== undefined)
            return String(own).toUpperCase();
        return (this.#request?.method ?? 'GET').toUpperCase();
    }
    get url() {
        return this.#request?.url ?? (0, absolute_url_ts_1.absoluteUrl)(this.#input);
    }
    header(name) {
        const headers = this.#headers ?? this.#init?.headers ?? this.#request?.headers;
        return headers === undefined ? undefined : (0, headers_ts_1.headerIn)(headers, name);
    }
    get replayable() {
        return this.#upload?.replayable ?? true;
    }
    /** That of the init: a `Request` has a stream. */
    get body() {
        return (0, adapter_1.readableBody)(this.#init?.body);
    }
    /** What the layers of ebb above have put into the init. */
    get carried() {
        return this.#init?.[adapter_1.LAYER];
    }
    /** True if the source of the body may still be open when the call ends. */
    get mayLeaveOpen() {
        return this.#request !== undefined || typeof this.#init?.body === 'function';
    }
    /** True if the caller's function makes the body of each attempt. */
    get hasFactory() {
        return typeof this.#init?.body === 'function';
    }
    /**
     * Inspects the body before the first attempt.
     *
     * @param isKept keeps the body of a `Request` for a retry
     */
    upload(isKept) {
        const body = this.#init?.body;
        if (body !== undefined && body !== null)
            this.#upload = new upload_ts_1.Upload(body, undefined, false);
        else if (this.#request?.body)
            this.#upload = new upload_ts_1.Upload(undefined, this.#request, isKept);
        return this.#upload;
    }
    /** Closes the source of the body, for a request that is not sent. */
    cancelUpload(reason) {
        const body = this.#init?.body ?? this.#request?.body;
        if (typeof body !== 'function')
            (0, kinds_ts_1.cancelUpload)(body, reason);
    }
    /**
     * True if a refused connection must be proven to be that of the first hop before a retry. If it is that of a redirect
     * target, the first server has already processed a request that must not be repeated.
     */
    needsProof({ methods }) {
        if (methods === 'all' || (methods === 'idempotent' && this.#isIdempotent))
            return false;
        return this.followsRedirects;
    }
    get followsRedirects() {
        const redirect = this.#init?.redirect ?? this.#request?.redirect;
        return redirect !== 'error' && redirect !== 'manual';
    }
    get #isIdempotent() {
        const isPlain = this.#request === undefined && this.#init?.method === undefined;
        return isPlain || (0, adapter_1.isIdempotent)(this.method);
    }
    /** The headers of one attempt. */
    changedHeaders(changes) {
        const own = this.#headers ?? this.#init?.headers ?? this.#request?.headers;
        const headers = new Headers(own);
        for (const [name, value] of Object.entries(changes)) {
            if (value === undefined)
                headers.delete(name);
            else
                headers.set(name, value);
        }
        return headers;
    }
    /** The same request, as it is sent again: it must not get the response of the attempt before. */
    forRetry() {
        if (_platform_1.unshared === undefined || !(0, _platform_1.sharesResponses)?.(this.method))
            return this;
        return new FetchRequest(...(0, _platform_1.unshared)(this.#input, this.#init, this.#headers, this.signal));
    }
    /** Calls the base fetch, with the caller's own arguments if nothing has to change. */
    sendWith(baseFetch, made, signal, layer) {
        const init = this.#init;
        const headers = this.#headers;
        const isUnchanged = made === undefined && signal === undefined && headers === undefined && init?.ebb === undefined;
        // With async context, layers below find this call without a mark in the init.
        const isMarked = layer !== undefined && !_platform_1.hasAsyncContext && (0, changes_ts_1.isPlainInit)(init);
        if (isUnchanged && !isMarked)
            return baseFetch(this.#input, init);
        const changes = { ...made };
        // An invalid signal stays in place, so that the base fetch throws.
        if (signal !== undefined && (this.signal !== undefined || !init?.signal))
            changes.signal = signal;
        if (headers !== undefined)
            changes.headers ??= headers;
        if (layer !== undefined)
            changes[adapter_1.LAYER] = layer;
        return baseFetch(...(0, changes_ts_1.withChanges)(this.#input, init, changes));
    }
}
exports.FetchRequest = FetchRequest;
//# sourceMappingURL=request.js.map