"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.withoutSecrets = withoutSecrets;
/**
 * A URL without its credentials, its query and its fragment. Of a URL that has no host, such as `data:`, only the scheme is
 * left.
 */
function withoutSecrets(url) {
    const { protocol, host, pathname } = URL.parse(url) ?? {};
    if (protocol === undefined)
        return relative(url);
    return host === '' ? protocol : `${protocol}//${host}${pathname}`;
}
/** A relative URL; of other text only what comes before the host, since it is not known where credentials end. */
function relative(url) {
    return /^[^/\\?#]*[/\\]{2}/.exec(url)?.[0] ?? url.replace(/[?#].*$/s, '');
}
//# sourceMappingURL=url.js.map