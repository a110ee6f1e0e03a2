"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.originOf = originOf;
const recording_fetch_ts_1 = require("./recording-fetch.js");
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
//# sourceMappingURL=redirect.js.map