"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Traits = void 0;
exports.responseOutcome = responseOutcome;
exports.failureOutcome = failureOutcome;
exports.failureKindOf = failureKindOf;
const node_querystring_1 = require("node:querystring");
const core_1 = require("@ebb/core");
const adapter_1 = require("@ebb/core/adapter");
const errors_ts_1 = require("./errors.js");
const headers_ts_1 = require("./headers.js");
/** The traits of a request, computed when they are read. */
class Traits {
    #options;
    #body;
    #ownOrigin;
    /** @param ownOrigin the origin if the options have none */
    constructor(options, body, ownOrigin) {
        this.#options = options;
        this.#body = body;
        this.#ownOrigin = ownOrigin;
    }
    get method() {
        return String(this.#options.method).toUpperCase();
    }
    get url() {
        const { query } = this.#options;
        const path = String(this.#options.path);
        // A proxy is given whole URLs. Expressions take a quarter of a request's time if a bucket asks for each URL.
        const isWhole = !path.startsWith('/') && /^https?:\/\//.test(path);
        const url = isWhole ? path : this.#host + path;
        return query ? `${url}?${(0, node_querystring_1.stringify)(query)}` : url;
    }
    get #host() {
        const host = String(this.#options.origin ?? this.#ownOrigin);
        return host.endsWith('/') ? host.slice(0, -1) : host;
    }
    get replayable() {
        return this.#body?.replayable ?? true;
    }
    get body() {
        return (0, adapter_1.readableBody)(this.#options.body);
    }
    header(name) {
        return (0, headers_ts_1.requestHeader)(this.#options.headers, name);
    }
}
exports.Traits = Traits;
/** The outcome of an attempt with a response; its headers are read lazily. */
class ResponseOutcome {
    type = 'response';
    status;
    #headers;
    constructor(status, headers) {
        this.status = status;
        this.#headers = headers;
    }
    header(name) {
        return (0, headers_ts_1.responseHeader)(this.#headers, name);
    }
}
/** The outcome of an attempt with a response. */
function responseOutcome(attempt, status, headers) {
    const outcome = new ResponseOutcome(status, headers);
    // An interceptor below that follows redirects starts the attempt again for each hop.
    if (attempt.starts < 2)
        return outcome;
    const url = attempt.hops?.at(-1);
    return Object.assign(outcome, { redirected: true, url: url === undefined ? undefined : String(url) });
}
/** The outcome of an attempt that failed. */
function failureOutcome(attempt, kind, error, { origin }) {
    const redirected = !isFirstHop(attempt, error, origin !== undefined && origin !== null);
    return { type: 'failure', kind, error, redirected };
}
/** True if it is certain that no hop of the attempt got a response. */
function isFirstHop({ starts, hops }, error, isOriginKnown) {
    // undici starts a request only once it has a connection.
    if (starts !== 1)
        return starts === 0;
    // The redirect interceptor lists the hops that got a response, if it knows their origin.
    if (hops !== undefined)
        return hops.length === 0 && isOriginKnown;
    const message = (0, adapter_1.property)(error, 'message');
    return typeof message === 'string' && message.includes('NGHTTP2_REFUSED_STREAM');
}
/** What kind of failure an error before the response is. */
function failureKindOf(attempt, error) {
    // Thrown by a body factory: not a failure of the network, whatever its cause looks like.
    if (error instanceof core_1.HookError)
        return 'unknown';
    const kind = (0, adapter_1.failureKind)(error);
    // A ProxyAgent that gets no tunnel aborts the request, or reports that its proxy hung up.
    if (attempt.starts === 0 && (kind === 'aborted' || (0, errors_ts_1.isTunnelError)(error)))
        return 'connect';
    // An abort that is not the caller's.
    return kind === 'aborted' ? 'unknown' : kind;
}
//# sourceMappingURL=traits.js.map