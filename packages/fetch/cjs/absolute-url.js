"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.absoluteUrl = absoluteUrl;
function base() {
    try {
        const { document, location } = globalThis;
        return document?.baseURI ?? location?.href;
    }
    catch {
        // Deno has a location that throws.
        return undefined;
    }
}
/** Enough to know that a base does not matter. Parsing takes three times as long, and a bucket asks for each request. */
const WHOLE = /^https?:\/\//i;
/** The URL that fetch will request; the input as a string if fetch will reject it. */
function absoluteUrl(input) {
    const url = String(input);
    if (WHOLE.test(url) || URL.canParse(url))
        return url;
    return URL.parse(url, base())?.href ?? url;
}
//# sourceMappingURL=absolute-url.js.map