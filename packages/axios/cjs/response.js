"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.headerOf = headerOf;
exports.responseIn = responseIn;
const adapter_1 = require("@ebb/core/adapter");
/** Reads one header from an `AxiosHeaders`, a web `Headers`, or the plain object of a custom adapter. */
function headerOf(headers, name) {
    if (typeof headers !== 'object' || headers === null)
        return undefined;
    const bag = headers;
    const value = typeof bag.get === 'function'
        ? bag.get(name)
        : bag[Object.keys(bag).find((key) => key.toLowerCase() === name) ?? name];
    if (value === undefined || value === null || value === false)
        return undefined;
    return Array.isArray(value) ? value.join(', ') : String(value);
}
/** The response that an adapter resolved with, or that the error it rejected with carries. */
function responseIn(settled) {
    const response = ((0, adapter_1.property)(settled, 'response') ?? settled);
    return (0, adapter_1.property)(response, 'status') === undefined ? undefined : response;
}
//# sourceMappingURL=response.js.map