"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.recordedResponse = recordedResponse;
exports.recordingFetch = recordingFetch;
/** Keyed by the `Request` that axios passes to fetch and exposes as `request` in its response or error. */
const records = new WeakMap();
function recordedResponse(request) {
    return typeof request === 'object' && request !== null ? records.get(request) : undefined;
}
/** One wrapper for each fetch: axios builds an adapter for each fetch that it is given, and caches it. */
const wrappers = new WeakMap();
let globalWrapper;
/** A fetch that records each response. Without `base` it calls the global fetch as it is at the time of the call. */
function recordingFetch(base) {
    if (base === undefined) {
        globalWrapper ??= wrap(() => globalThis.fetch);
        return globalWrapper;
    }
    let wrapper = wrappers.get(base);
    if (wrapper === undefined) {
        wrapper = wrap(() => base);
        wrappers.set(base, wrapper);
    }
    return wrapper;
}
function wrap(base) {
    return async function fetchAndRecord(input, init) {
        // Called as a plain function: a browser's fetch throws on a foreign `this`.
        const fetch = base();
        const response = await fetch(input, init);
        if (typeof input === 'object') {
            const { status, headers, redirected, url } = response;
            records.set(input, { status, headers, redirected, url });
        }
        return response;
    };
}
//# sourceMappingURL=recording-fetch.js.map