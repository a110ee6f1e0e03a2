"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.instrument = instrument;
const core_1 = require("@ebb/core");
const api_1 = require("@opentelemetry/api");
const http_attributes_ts_1 = require("./http-attributes.js");
const propagate_ts_1 = require("./propagate.js");
const telemetry_ts_1 = require("./telemetry.js");
/**
 * The policy with telemetry: what {@link telemetry} reports, and each attempt carries its trace to the server
 * (`traceparent`), by the global propagator. The span of an attempt is active while the client sends it, and an
 * instrumentation of the client makes no second one. With `attemptSpans: false` the instrumentation makes the spans of the
 * attempts, below the one of the request, and sends the headers.
 *
 * The policy's own `onEvent`, `beforeAttempt` and `aroundAttempt` are called as well, and headers that `beforeAttempt` or
 * the caller sets win.
 *
 * @throws TypeError, RangeError for a wrong option of either
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { instrument } from '@ebb/opentelemetry';
 *
 * const fetch = createFetch(instrument({ maxRetries: 3 }, { attributes: { 'peer.service': 'orders' } }));
 * ```
 */
function instrument(policyOrOptions = {}, telemetryOptions = {}) {
    const telemetry = new telemetry_ts_1.Telemetry('instrument', telemetryOptions);
    const { spans } = telemetry;
    const { clock, onEvent, beforeAttempt, aroundAttempt } = (0, core_1.createPolicy)(policyOrOptions);
    const observed = {
        ...policyOrOptions,
        onEvent(event) {
            let result;
            try {
                telemetry.follow(event);
            }
            finally {
                result = onEvent?.(event);
            }
            return result;
        },
    };
    if (spans === undefined)
        return (0, core_1.createPolicy)(observed);
    /** The headers of its trace, made before the user's own hook is called: a hook that throws ends the request. */
    const before = (next) => {
        const attributes = telemetry.attributesOf(next.request);
        const { request, attempt } = spans.prepare(next, attributes, clock.now());
        const headers = attempt && (0, http_attributes_ts_1.isHttp)(next.request) ? (0, propagate_ts_1.headersOf)(attempt, next.request) : undefined;
        if (beforeAttempt === undefined)
            return headers;
        // What a hook sends, for a fresh token say, is a part of the request.
        const own = api_1.context.with(request, () => beforeAttempt(next));
        return own instanceof Promise
            ? own.then((made) => (0, propagate_ts_1.merged)(headers, made))
            : (0, propagate_ts_1.merged)(headers, own);
    };
    return (0, core_1.createPolicy)({
        ...observed,
        beforeAttempt: before,
        aroundAttempt(send, current) {
            const inContext = () => api_1.context.with(spans.sendingContext(current.request), send);
            return aroundAttempt === undefined ? inContext() : aroundAttempt(inContext, current);
        },
    });
}
//# sourceMappingURL=instrument.js.map