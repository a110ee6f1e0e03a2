"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ebbInterceptor = ebbInterceptor;
const core_1 = require("@ebb/core");
const adapter_1 = require("@ebb/core/adapter");
const body_of_ts_1 = require("./body/body-of.js");
const headers_ts_1 = require("./headers.js");
const legacy_ts_1 = require("./legacy.js");
const relay_ts_1 = require("./relay.js");
const trail_ts_1 = require("./trail.js");
const traits_ts_1 = require("./traits.js");
function isObject(value) {
    return typeof value === 'object' && value !== null;
}
let compositions = 0;
/**
 * Stands for the origin of a `Client` or `Pool`, which undici 7 does not tell an interceptor. A unique name keeps a
 * bucket per origin apart from those of other dispatchers.
 */
function makeOrigin() {
    compositions += 1;
    return `http://dispatcher-${compositions}.invalid`;
}
/** `ebb` options hold for this layer only, not for a layer below. */
function withoutEbb({ ebb: _, ...others }) {
    return others;
}
/** Dispatches a request through the policy. */
function relay(composition, given, handler) {
    const { ebb } = given;
    const own = ebb === undefined ? given : withoutEbb(given);
    if (ebb === false)
        return composition.dispatch(own, handler);
    let request;
    try {
        const options = (0, headers_ts_1.withRereadableHeaders)(own);
        const body = (0, body_of_ts_1.bodyOf)(options);
        const traits = new traits_ts_1.Traits(options, body, composition.ownOrigin);
        const carried = given[adapter_1.LAYER];
        const session = (0, adapter_1.startSession)(composition.policy, traits, ebb, carried, 'dispatcher');
        const { trails } = composition;
        const trail = (0, trail_ts_1.addsHeaders)(session.policy) ? trails.trailOf(session, handler) : undefined;
        request = new relay_ts_1.Relay(composition, options, body, session, handler, trail && { trail, trails });
    }
    catch (error) {
        // undici reports invalid options in the same way.
        handler.onResponseError?.(null, error);
        return false;
    }
    return request.start();
}
/**
 * An interceptor for `dispatcher.compose()`. It sends each request when the policy permits it, and retries it if the
 * policy says so. The handler sees one request: one controller, and the response or the error of the last attempt.
 * Without a retry a request behaves exactly like one of the bare dispatcher, but for `context`, which is always an
 * object.
 *
 * Requests fail with the errors of the dispatcher, and with two of ebb's: `ThrottledError` if no token or slot can be
 * had in time for the first attempt, and `HookError` if a hook or a body factory throws.
 *
 * @param policyOrOptions a policy, which several clients can share, or the options of a new one; by default a policy
 *   with all defaults
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/undici';
 * import { Agent, request } from 'undici';
 *
 * const dispatcher = new Agent().compose(ebbInterceptor({ maxRetries: 3 }));
 *
 * const { body } = await request('https://api.example.com/', { dispatcher });
 * console.log(await body.json());
 * ```
 */
function ebbInterceptor(policyOrOptions = {}) {
    const policy = (0, core_1.createPolicy)(policyOrOptions);
    return function ebb(dispatch) {
        const composed = { policy, dispatch, ownOrigin: makeOrigin(), trails: new trail_ts_1.Trails() };
        // `compose` requires a function of exactly two parameters.
        function ebbDispatch(options, handler) {
            if (!isObject(options) || !isObject(handler))
                return dispatch(options, handler);
            if (typeof handler.onRequestStart === 'function' && typeof handler.onResponseError === 'function') {
                return relay(composed, options, handler);
            }
            if ((0, legacy_ts_1.isLegacy)(handler)) {
                const modern = (0, legacy_ts_1.modernHandler)(handler);
                return relay(composed, { ...options, allowH2: false }, modern);
            }
            // undici has an error of its own for such a handler.
            return dispatch(options, handler);
        }
        (0, adapter_1.countLayer)(true, ebbDispatch);
        return ebbDispatch;
    };
}
//# sourceMappingURL=interceptor.js.map