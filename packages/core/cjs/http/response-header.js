"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.responseHeader = responseHeader;
/** A response header by its lower-case name. A mock may have no headers, or a plain object. */
function responseHeader(headers, name) {
    if (typeof headers !== 'object' || headers === null)
        return undefined;
    const { get } = headers;
    if (typeof get === 'function')
        return get.call(headers, name) ?? undefined;
    const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    return value === undefined || value === null ? undefined : String(value);
}
//# sourceMappingURL=response-header.js.map