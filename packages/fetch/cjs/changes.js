"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isRequest = isRequest;
exports.membersOf = membersOf;
exports.isPlainInit = isPlainInit;
exports.withChanges = withChanges;
const adapter_1 = require("@ebb/core/adapter");
/** Tests by shape, because the `Request` may come from another realm. */
function isRequest(value) {
    return typeof value === 'object' && value !== null && 'url' in value && 'clone' in value;
}
/** The members of an init that fetch, or that of Next.js, reads. They may be inherited from a class. */
const MEMBERS = [
    'method',
    'headers',
    'body',
    'duplex',
    'signal',
    'redirect',
    'mode',
    'credentials',
    'cache',
    'referrer',
    'referrerPolicy',
    'integrity',
    'keepalive',
    'priority',
    'window',
    'dispatcher',
    'next',
];
/** The members of an init, or of a `Request`, that fetch reads. */
function membersOf(source) {
    const members = {};
    for (const name of MEMBERS) {
        if (name in source)
            members[name] = source[name];
    }
    return members;
}
function isPlain(init) {
    const prototype = Object.getPrototypeOf(init);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
}
/** True if a copy of the init has all of its members. */
function isPlainInit(init) {
    return init === undefined || (typeof init === 'object' && init !== null && isPlain(init));
}
/** The arguments of the base fetch, with changes to the init, and without `ebb`. */
function withChanges(input, init, changes) {
    // The members of a `Request` in place of an init are getters of its class, which a copy would lose.
    if (isRequest(init))
        return [new Request(input, init), changes];
    // The base fetch throws for it.
    if (init !== undefined && init !== null && typeof init !== 'object')
        return [input, init];
    const { ebb: _, ...own } = init ?? {};
    const copy = init && !isPlain(init) ? { ...membersOf(init), ...own } : own;
    return [input, { ...copy, ...changes }];
}
//# sourceMappingURL=changes.js.map