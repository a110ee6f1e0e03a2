"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ebbInterceptor = ebbInterceptor;
const core_1 = require("@ebb/core");
const adapter_1 = require("@ebb/core/adapter");
const axios_copy_ts_1 = require("./axios-copy.js");
const factory_body_ts_1 = require("./body/factory-body.js");
const send_ts_1 = require("./send.js");
/** Marks ebb's adapters, including those of another copy of this package. */
const IS_EBB = Symbol.for('@ebb/axios adapter');
/**
 * A response interceptor gets a response or an error, and could only do nothing. axios gives every request a method.
 *
 * @throws TypeError if that is what ebb got
 */
function checkUse(value) {
    const fields = value;
    if (fields.method !== undefined || fields.url !== undefined)
        return;
    const { status, config } = fields;
    if (value instanceof Error ||
        (typeof status === 'number' && typeof config === 'object' && config !== null)) {
        throw new TypeError('ebbInterceptor: use it as a request interceptor: axios.interceptors.request.use(ebbInterceptor(policy))');
    }
}
/**
 * Returns a request interceptor that retries: it sends each request when the policy allows it, and again after a
 * failure that a retry can cure. It wraps the request's adapter, so interceptors and transforms run once for all
 * attempts. The caller gets the response or error of the last attempt, unchanged.
 *
 * Several ebb interceptors on one instance do not multiply: the one that axios runs first retries and the others do
 * nothing. axios runs the one that was added last first, unless `transitional.legacyInterceptorReqResOrdering` is off.
 *
 * The request itself rejects with a `ThrottledError` if its bucket or limit refuses the first attempt, a `HookError`
 * if a function in the policy throws, and a `TypeError` or `RangeError` for invalid options under `ebb`.
 *
 * @param policyOrOptions a policy, which other clients may share, or the options of a new one; by default a policy
 *   with all defaults
 * @param axios the copy of axios that resolves adapters by name and makes axios's errors. By default ebb finds the one
 *   that the instance belongs to; if it cannot, as in a bundle, it takes another copy of version 1 and warns once
 * @throws TypeError for an option that does not exist or is of the wrong type, and unless `axios` is the module
 * @throws RangeError for an option out of its range
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/axios';
 * import axios from 'axios';
 *
 * const client = axios.create({ baseURL: 'https://api.example.com' });
 * client.interceptors.request.use(ebbInterceptor({ maxRetries: 3 }));
 *
 * const { data } = await client.get('/items', { ebb: { attemptTimeoutMs: 2_000 } });
 * ```
 */
function ebbInterceptor(policyOrOptions = {}, axios) {
    const policy = (0, core_1.createPolicy)(policyOrOptions);
    const interception = { policy, given: (0, axios_copy_ts_1.checkCopy)(axios) };
    function ebb(config) {
        checkUse(config);
        const chosen = config.adapter;
        const isCustom = typeof chosen === 'function';
        const isWrapped = isCustom && chosen[IS_EBB] === true;
        // A custom adapter may lead to another ebb layer, which must not see this `false`: see `send`.
        const isOff = config.ebb === false && !isCustom;
        if (isOff || isWrapped)
            return config;
        const factory = typeof config.data === 'function' ? new factory_body_ts_1.FactoryBody(config) : undefined;
        const adapter = (merged) => {
            restoreAdapter(merged, chosen);
            factory?.restoreTransforms(merged);
            return (0, send_ts_1.send)(merged, chosen, interception, factory);
        };
        adapter[IS_EBB] = true;
        config.adapter = adapter;
        return config;
    }
    (0, adapter_1.countLayer)(false, ebb);
    return ebb;
}
/** So that the config in a response or an error can be sent again, and does not wrap the adapter twice. */
function restoreAdapter(config, chosen) {
    if (chosen === undefined)
        delete config.adapter;
    else
        config.adapter = chosen;
}
//# sourceMappingURL=interceptor.js.map