"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.originOf = originOf;
/** The origin that was returned last, and how the URLs of most of its requests start. */
let lastOrigin = '';
let lastStart;
/** Scheme, host and port of a URL; the URL itself if it cannot be parsed. */
function originOf({ url }) {
    if (lastStart !== undefined && url.startsWith(lastStart))
        return lastOrigin;
    const origin = URL.parse(url)?.origin;
    if (origin === undefined)
        return url;
    // What follows the slash cannot change the origin. URLs such as those of files have an opaque one, `null`.
    if (origin !== 'null') {
        lastOrigin = origin;
        lastStart = `${origin}/`;
    }
    return origin;
}
//# sourceMappingURL=origin.js.map