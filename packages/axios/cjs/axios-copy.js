"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.checkCopy = checkCopy;
exports.copyOf = copyOf;
exports.areForeign = areForeign;
exports.anyCopy = anyCopy;
exports.needCopy = needCopy;
exports.checkShared = checkShared;
const adapter_1 = require("@ebb/core/adapter");
const axios_1 = __importDefault(require("axios"));
const NAMES = ['AxiosError', 'AxiosHeaders', 'CanceledError', 'getAdapter'];
function isModule(value) {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function'))
        return false;
    return NAMES.every((name) => typeof value[name] === 'function');
}
/** Of another major version nothing is known. */
function hasRightVersion({ VERSION }) {
    return VERSION === undefined || /^1\./.test(VERSION);
}
/** The copy in what a module exports: `import *` has it under `default`, with its defaults. */
function copyIn(exported) {
    const copy = [exported?.default, exported].find(isModule);
    return copy !== undefined && hasRightVersion(copy) ? copy : undefined;
}
/** @throws TypeError unless it is the module or `undefined`; an instance does not have the module's classes */
function checkCopy(value) {
    if (value === undefined)
        return undefined;
    const copy = copyIn(value);
    if (copy !== undefined)
        return copy;
    const got = isModule(value) ? `that of version ${value.VERSION}, which is not 1` : 'something else';
    throw new TypeError(`ebbInterceptor: axios must be the axios module itself, got ${got}`);
}
/** The one that this package imports. `undefined` if a mock has its place, or another major version. */
const own = copyIn(axios_1.default);
/**
 * The copy of axios for a request: the one that the user passed, or else the one that the request belongs to, whose
 * class made its headers.
 *
 * In Node `import` and `require` load two copies with separate classes. An error made by the wrong copy is not an
 * `instanceof` the caller's `AxiosError`.
 *
 * @param given the copy that the user passed to the interceptor
 * @returns `undefined` if the copy cannot be found
 */
function copyOf({ headers }, given) {
    if (given !== undefined)
        return given;
    if (own !== undefined && headers instanceof own.AxiosHeaders)
        return own;
    // No axios made these headers: the adapter was called directly.
    if (!areAxiosHeaders(headers))
        return own;
    return loadedCopy(Object.getPrototypeOf(headers).constructor);
}
function areAxiosHeaders(headers) {
    return headers?.[Symbol.toStringTag] === 'AxiosHeaders';
}
/** Whether another copy than this one made the headers. */
function areForeign(headers, copy) {
    return !(headers instanceof copy.AxiosHeaders) && areAxiosHeaders(headers);
}
/** The file of axios that `require` loads. */
const REQUIRED = /[\\/]dist[\\/](node|browser)[\\/]axios\.cjs$/;
/** The file that `import` loads, as seen from the other. */
const IMPORTED = '../../index.js';
/**
 * What the modules export that may be a copy of axios: those in the `require` cache with axios in their path, and then the
 * ES modules beside them. A CommonJS program may use an instance of the latter without a way to import it: that of a
 * dependency that is an ES module, as `@nestjs/axios` is. Reading other modules could trigger their getters.
 */
function* loadedModules() {
    const { process } = globalThis;
    let createRequire;
    let cache;
    try {
        createRequire = process?.getBuiltinModule?.('node:module')?.createRequire;
        cache = createRequire?.(process?.execPath).cache;
    }
    catch {
        // A runtime that has the function, but no such cache.
    }
    if (createRequire === undefined || cache === undefined)
        return;
    const paths = Object.keys(cache).filter((path) => /axios/i.test(path));
    for (const path of paths)
        yield cache[path]?.exports;
    for (const path of paths.filter((one) => REQUIRED.test(one))) {
        try {
            yield createRequire(path)(IMPORTED);
        }
        catch {
            // A runtime that cannot require an ES module, or a package with other files.
        }
    }
}
/** The result for each `AxiosHeaders` class; `false` if its copy was not found. */
const loaded = new WeakMap();
function loadedCopy(AxiosHeaders) {
    let copy = loaded.get(AxiosHeaders);
    if (copy === undefined) {
        copy = first(loadedModules(), (one) => one.AxiosHeaders === AxiosHeaders) ?? false;
        loaded.set(AxiosHeaders, copy);
    }
    return copy || undefined;
}
function first(modules, fits) {
    for (const exported of modules) {
        const copy = copyIn(exported);
        if (copy !== undefined && fits(copy))
            return copy;
    }
    return undefined;
}
/** The copy that stands in for those that cannot be found. */
let standIn;
/**
 * A copy of axios for requests whose own copy cannot be found, as in a bundle that has two. Warns once. `isAxiosError`
 * and `isCancel` look at marks, so they know its errors; `instanceof` does not.
 *
 * @returns `undefined` if there is none of this major version
 */
function anyCopy() {
    if (standIn === undefined) {
        standIn = own ?? first(loadedModules(), () => true);
        if (standIn !== undefined) {
            (0, adapter_1.warn)('ebb: @ebb/axios cannot find the copy of axios that an instance belongs to, and sends its requests with ' +
                `another one, ${standIn.VERSION}. axios.isAxiosError and axios.isCancel know the errors, instanceof does not. ` +
                'Pass a copy to choose it: ebbInterceptor(policy, axios)');
        }
    }
    return standIn;
}
/**
 * For what only a copy of axios can do: resolve an adapter by name, and make axios's own errors.
 *
 * @throws TypeError if there is none at all
 */
function needCopy(copy) {
    const found = copy ?? anyCopy();
    if (found !== undefined)
        return found;
    throw new TypeError('ebb: @ebb/axios cannot find a copy of axios 1; pass the module: ebbInterceptor(policy, axios)');
}
/** Whether axios clones such a value when it merges configs: an object without a class, a tag or an iterator. */
function isCloned(value) {
    if (typeof value !== 'object' || value === null)
        return false;
    const prototype = Object.getPrototypeOf(value);
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
    return isPlain && !Object.hasOwn(value, Symbol.toStringTag) && !Object.hasOwn(value, Symbol.iterator);
}
/**
 * Rejects a bucket, limit or budget that axios has cloned into the config of a request. A clone has state of its
 * own, so each request would silently get a full bucket. A clock has no state.
 *
 * @throws TypeError that names the option
 */
function checkShared(options) {
    for (const [name, value] of Object.entries(options)) {
        if (name !== 'clock' && isCloned(value)) {
            throw new TypeError(`ebb: ${name} must be an instance of a class, got a plain object, which axios copies for each request`);
        }
    }
}
//# sourceMappingURL=axios-copy.js.map