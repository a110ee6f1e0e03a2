"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isAway = isAway;
exports.keyOf = keyOf;
exports.headerChangesOf = headerChangesOf;
const check_ts_1 = require("../base/check.js");
const errors_ts_1 = require("../base/errors.js");
const promise_ts_1 = require("../base/promise.js");
const classify_ts_1 = require("../http/classify.js");
function originOf({ url }) {
    return URL.parse(url)?.origin ?? url;
}
/**
 * True if what `beforeAttempt` returns must not be added: it may be a credential, which belongs to the origin of the call.
 *
 * @param call the request of the call, as the outermost layer has it; `undefined` if there is no other layer
 */
function isAway(request, hop, call) {
    return (hop?.isAway === true || (call !== undefined && call !== request && originOf(call) !== originOf(request)));
}
const KEY = 'idempotency-key';
/**
 * The key that identifies a request; `undefined` if it needs none and has none.
 *
 * @param carried the key of the call, for a request that follows a redirect
 * @throws HookError if `idempotencyKey` throws, or returns something else than a string
 */
function keyOf(policy, request, carried) {
    if (carried !== undefined)
        return { value: carried, isOurs: true, isKept: true };
    if ((0, classify_ts_1.isIdempotent)(request.method.toUpperCase()))
        return undefined;
    const own = request.header(KEY);
    const value = own ?? madeKey(policy, request);
    return value === undefined ? undefined : { value, isOurs: own === undefined, isKept: true };
}
function madeKey({ idempotencyKey }, request) {
    if (idempotencyKey === undefined)
        return undefined;
    // Without TLS a page has no `randomUUID`. Four random numbers are as unique.
    if (idempotencyKey === true) {
        return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
    }
    return (0, errors_ts_1.callHook)('idempotencyKey', () => {
        const key = idempotencyKey(request);
        if (typeof key !== 'string' || key.trim() === '')
            throw (0, check_ts_1.wrongType)('its result', 'a string that is not empty', key);
        return key;
    });
}
/**
 * The headers that an attempt changes; `undefined` for none.
 *
 * @param key that of the request. It is marked if the attempt does not carry it
 * @param away true if `beforeAttempt` is not to be asked, see {@link isAway}
 * @throws HookError, at once or as a rejection, if `beforeAttempt` fails or returns something else than headers
 */
function headerChangesOf({ beforeAttempt }, next, key, away = false) {
    const own = key?.isOurs ? { [KEY]: key.value } : undefined;
    if (beforeAttempt === undefined || away)
        return own;
    const made = (0, errors_ts_1.callHook)('beforeAttempt', () => beforeAttempt(next));
    const join = (result) => {
        if (result === undefined || result === null)
            return own;
        const changes = (0, errors_ts_1.callHook)('beforeAttempt', () => changesIn(result));
        if (key !== undefined)
            markKey(key, changes);
        return own === undefined ? changes : { ...own, ...changes };
    };
    if (!(0, promise_ts_1.isPromise)(made))
        return join(made);
    // A promise of another library may lack what this one has.
    return Promise.resolve(made).then(join, (cause) => {
        throw new errors_ts_1.HookError('beforeAttempt', cause);
    });
}
/** A server knows a request again only by the same key. */
function markKey(key, changes) {
    for (const [name, value] of Object.entries(changes)) {
        if (name.toLowerCase() === KEY && value !== key.value)
            key.isKept = false;
    }
}
const TAKES = 'an object of strings, Headers, or pairs of a name and a value';
/** By its tag: it may come from another realm. */
function isMap(value) {
    return Object.prototype.toString.call(value) === '[object Map]';
}
/** The changes in what `beforeAttempt` has returned, read once: it may be an iterator. */
function changesIn(result) {
    // It may be a token, returned in place of a header with it.
    const got = typeof result === 'string' ? 'a string' : isMap(result) ? 'a Map' : undefined;
    if (got !== undefined)
        throw new TypeError(`its result must be ${TAKES}, got ${got}`);
    if (typeof result !== 'object' || result === null)
        throw (0, check_ts_1.wrongType)('its result', TAKES, result);
    if (Symbol.iterator in result)
        return fromPairs(result);
    const entries = Object.entries(result);
    for (const [name, value] of entries)
        checkValue(name, value);
    // A response in place of its headers, for example: nothing would be changed.
    if (entries.length === 0 && !isPlain(result))
        throw (0, check_ts_1.wrongType)('its result', TAKES, result);
    return result;
}
function checkValue(name, value) {
    if (value !== undefined && typeof value !== 'string') {
        throw (0, check_ts_1.wrongType)(`its result: ${name}`, 'a string, or undefined', value);
    }
}
function fromPairs(pairs) {
    const changes = new Map();
    for (const pair of pairs) {
        if (!Array.isArray(pair) || typeof pair[0] !== 'string')
            throw (0, check_ts_1.wrongType)('its result', TAKES, pairs);
        const [name, value] = pair;
        checkValue(name, value);
        const lower = name.toLowerCase();
        const before = changes.get(lower);
        // As `Headers` do with a name that is repeated.
        changes.set(lower, before === undefined || value === undefined ? value : `${before}, ${value}`);
    }
    return Object.fromEntries(changes);
}
function isPlain(value) {
    const prototype = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
}
//# sourceMappingURL=header-changes.js.map