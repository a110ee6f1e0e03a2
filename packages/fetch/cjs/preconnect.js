"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.withPreconnect = withPreconnect;
function preconnectOf(fetch) {
    return fetch?.preconnect;
}
/** Gives a fetch the `preconnect` of its base fetch, or else of the runtime's fetch. */
function withPreconnect(fetch, baseFetch) {
    const preconnect = preconnectOf(baseFetch) ?? preconnectOf(globalThis.fetch);
    return (preconnect === undefined ? fetch : Object.assign(fetch, { preconnect }));
}
//# sourceMappingURL=preconnect.js.map