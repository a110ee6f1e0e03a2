"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ResponseOutcome = void 0;
exports.failureOf = failureOf;
const core_1 = require("@ebb/core");
const adapter_1 = require("@ebb/core/adapter");
const recording_fetch_ts_1 = require("./recording-fetch.js");
const response_ts_1 = require("./response.js");
const FIRST_HOP = { redirected: false };
const UNKNOWN_HOP = { redirected: true };
/**
 * Tells from an adapter's `request` which hop an outcome came from. The response of a redirect's target says nothing
 * about whether the first server did its work, so a redirect is ruled out only by proof.
 */
function originOf(traits, request) {
    const { config } = traits;
    const shown = (request ?? {});
    const hops = (shown._redirectable ?? shown)._redirectCount;
    if (typeof hops === 'number') {
        return hops === 0 ? FIRST_HOP : { redirected: true, url: (shown._redirectable ?? shown)._currentUrl };
    }
    const recorded = (0, recording_fetch_ts_1.recordedResponse)(request);
    if (recorded !== undefined)
        return recorded.redirected ? recorded : FIRST_HOP;
    if (typeof shown.redirect === 'string')
        return shown.redirect === 'follow' ? UNKNOWN_HOP : FIRST_HOP;
    if (typeof shown.responseURL === 'string' && shown.responseURL !== '') {
        const url = shown.responseURL;
        const isRequested = [traits.url, config.url ?? ''].some((requested) => normalized(requested) === normalized(url));
        return isRequested ? FIRST_HOP : { redirected: true, url };
    }
    // Node's HTTP/2 follows no redirects, and `maxRedirects` applies to the http adapter alone.
    const followsNone = config.maxRedirects === 0 || Number(config.httpVersion) === 2;
    return followsNone && !isXhr(shown) ? FIRST_HOP : UNKNOWN_HOP;
}
function isXhr(shown) {
    return 'responseURL' in shown;
}
/** As a browser serializes it, without the fragment, which is not sent. */
function normalized(url) {
    return (URL.parse(url)?.href ?? url).replace(/#.*$/s, '');
}
/** A response that an adapter resolved with. Its headers and its origin are read when they are asked for. */
class ResponseOutcome {
    type = 'response';
    status;
    #headers;
    #request;
    #traits;
    #found;
    constructor({ status, headers, request }, traits) {
        this.status = status;
        this.#headers = headers;
        this.#request = request;
        this.#traits = traits;
    }
    header(name) {
        const all = name === 'retry-after' ? allRetryAfter(this.#request) : undefined;
        return all ?? (0, response_ts_1.headerOf)(this.#headers, name);
    }
    get redirected() {
        return this.#origin.redirected;
    }
    get url() {
        return this.#origin.url;
    }
    get #origin() {
        this.#found ??= originOf(this.#traits, this.#request);
        return this.#found;
    }
}
exports.ResponseOutcome = ResponseOutcome;
/** Every `Retry-After` line. Node's `headers` keep only the first, which may be the shorter one. */
function allRetryAfter(request) {
    return request?.res?.headersDistinct?.['retry-after']?.join(', ');
}
/** Reads what an adapter rejected with: a response that `validateStatus` refused, or a failure. */
function failureOf(error, traits) {
    const response = (0, adapter_1.property)(error, 'response');
    const request = (0, adapter_1.property)(error, 'request');
    if (response !== undefined && failedByStatus(response))
        return new ResponseOutcome(response, traits);
    const kind = kindOf(error);
    const hidden = kind === 'aborted' ? undefined : hiddenResponse(request);
    if (hidden !== undefined)
        return new ResponseOutcome(hidden, traits);
    const { redirected } = originOf(traits, request);
    return { type: 'failure', kind, error, redirected };
}
/**
 * A response with an error status whose body could not be read: too long, or not valid gzip. axios reports only
 * the error of the body, but the status decides whether to retry.
 */
function hiddenResponse(request) {
    const recorded = (0, recording_fetch_ts_1.recordedResponse)(request);
    const { res } = (request ?? {});
    const status = recorded?.status ?? res?.statusCode ?? 0;
    return status < 400 ? undefined : { status, headers: recorded?.headers ?? res?.headers, request };
}
/**
 * Whether the status is the failure. axios also attaches the response if the connection breaks in the middle of
 * its body: an error status still counts then, a success status does not.
 */
function failedByStatus({ status, config }) {
    if (status >= 300)
        return true;
    const validate = config?.validateStatus;
    return typeof validate === 'function' && !validate(status);
}
/** axios's messages for a connection that breaks in the middle of a body; older versions use the second. */
const BROKEN_BODY = /^(stream has been aborted|maxContentLength size of -1 exceeded)$/;
function kindOf(error) {
    // A body factory failed, so nothing was sent, whatever its cause says.
    if (error instanceof core_1.HookError)
        return 'unknown';
    const kind = (0, adapter_1.failureKind)(error);
    const code = (0, adapter_1.property)(error, 'code');
    const message = (0, adapter_1.property)(error, 'message');
    const config = (0, adapter_1.property)(error, 'config');
    const isTimeoutCode = code === 'ETIMEDOUT' || code === 'ECONNABORTED';
    // A timeout aborts the exchange, and the fetch adapter keeps the abort as the cause.
    if (kind === 'aborted' && isTimeoutCode)
        return 'timeout';
    // `timeoutErrorMessage` replaces `timeout of … exceeded`.
    if (kind === 'network' && isTimeoutCode && message === config?.timeoutErrorMessage)
        return 'timeout';
    if (kind === 'unknown' && typeof message === 'string' && BROKEN_BODY.test(message))
        return 'network';
    return kind;
}
//# sourceMappingURL=outcome.js.map