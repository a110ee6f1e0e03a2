"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.routeOf = routeOf;
const adapter_1 = require("@ebb/core/adapter");
const axios_copy_ts_1 = require("./axios-copy.js");
const recording_fetch_ts_1 = require("./recording-fetch.js");
/** What axios tries, in this order, if a config names no adapter. */
const DEFAULT_ADAPTERS = ['xhr', 'http', 'fetch'];
/**
 * Resolves the adapter of a request as its copy of axios does. The fetch adapter gets a fetch that records the status
 * and the redirects that axios does not pass on.
 *
 * @throws AxiosError if axios does not know the name, or the adapter does not work in this runtime
 * @throws TypeError if the adapter has a name, and there is no copy of axios at all
 */
function routeOf(copy, chosen, config) {
    return typeof chosen === 'function'
        ? { adapter: chosen, way: 'client' }
        : resolved((0, axios_copy_ts_1.needCopy)(copy), chosen, config);
}
function resolved(copy, named, config) {
    const isForeign = (0, axios_copy_ts_1.areForeign)(config.headers, copy);
    // The defaults of another copy are not those of this instance.
    const chosen = named ?? (isForeign ? undefined : copy.defaults?.adapter) ?? DEFAULT_ADAPTERS;
    const found = copy.getAdapter(chosen, config);
    const isCustom = found === chosen || (Array.isArray(chosen) && chosen.includes(found));
    const route = routeBy(copy, found, isCustom, config);
    return isForeign && !isCustom ? { way: route.way, adapter: withHeadersOf(copy, route.adapter) } : route;
}
function routeBy(copy, found, isCustom, config) {
    const { adapterName } = found;
    if (adapterName === 'xhr')
        return { adapter: found, way: isNativeXhr() ? 'socket' : 'client' };
    if (adapterName === 'http')
        return { adapter: found, way: config.transport ? 'client' : 'socket' };
    if (isCustom)
        return { adapter: found, way: 'client' };
    const env = config.env;
    const fetch = env?.fetch;
    const adapter = copy.getAdapter('fetch', { env: { ...env, fetch: (0, recording_fetch_ts_1.recordingFetch)(fetch) } });
    return { adapter, way: (0, adapter_1.isNativeFetch)(fetch ?? globalThis.fetch) ? 'native-fetch' : 'client' };
}
/**
 * An adapter for a config of another copy. axios reads the headers of another class as an iterable, which drops those that
 * are `false` and keep axios from setting its own, or before 1.8 as one name. Its adapters read them in the turn in which
 * they are called.
 */
function withHeadersOf({ AxiosHeaders }, adapter) {
    return (config) => {
        const { headers } = config;
        config.headers = new AxiosHeaders({ ...headers });
        try {
            return adapter(config);
        }
        finally {
            config.headers = headers;
        }
    };
}
/** The last `XMLHttpRequest` that was asked for, and whether it is native. */
let lastXhr;
let isLastNative = false;
/** False for a polyfill, which may send over a fetch with ebb. */
function isNativeXhr() {
    const xhr = globalThis.XMLHttpRequest;
    if (xhr !== lastXhr) {
        lastXhr = xhr;
        isLastNative =
            typeof xhr === 'function' && Function.prototype.toString.call(xhr).includes('[native code]');
    }
    return isLastNative;
}
//# sourceMappingURL=adapter.js.map