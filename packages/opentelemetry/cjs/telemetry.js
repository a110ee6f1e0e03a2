"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Telemetry = void 0;
exports.telemetry = telemetry;
const api_1 = require("@opentelemetry/api");
const check_ts_1 = require("./check.js");
const http_attributes_ts_1 = require("./http-attributes.js");
const metrics_ts_1 = require("./metrics.js");
const scope_ts_1 = require("./scope.js");
const spans_ts_1 = require("./spans.js");
/**
 * An observer for the `onEvent` of a policy. It makes one span for each request with one below it for each attempt, by the
 * HTTP semantic conventions of OpenTelemetry (version 1.23 and later), and metrics whose names start with `ebb.client.`.
 * The parent is the span that is active when the request begins. An observer cannot change what is sent: for headers that
 * carry the trace to the server use {@link instrument}.
 *
 * Of a URL only the host and the port are reported. Paths, queries, credentials, headers, bodies and messages of errors are
 * not.
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { telemetry } from '@ebb/opentelemetry';
 *
 * const policy = createPolicy({ onEvent: telemetry({ attributes: { 'peer.service': 'orders' } }) });
 * ```
 */
function telemetry(options = {}) {
    const made = new Telemetry('telemetry', options);
    return (event) => made.follow(event);
}
/** Spans and metrics of all requests of a policy. */
class Telemetry {
    /** `undefined` if none are wanted. */
    spans;
    #meter;
    #attributes;
    #metrics;
    #provider;
    /** Parsing a URL for each event would cost more than the rest. */
    #known = new WeakMap();
    /** @throws TypeError for a wrong option */
    constructor(caller, options) {
        (0, check_ts_1.checkObject)(caller, 'options', options);
        (0, check_ts_1.checkNames)(caller, options, ['tracer', 'meter', 'attemptSpans', 'attributes']);
        const { tracer = api_1.trace.getTracer(scope_ts_1.SCOPE, scope_ts_1.VERSION), meter, attemptSpans = true, attributes } = options;
        if (tracer !== false)
            (0, check_ts_1.checkApi)(caller, 'tracer', tracer, 'startSpan', 'a Tracer or false');
        if (meter)
            (0, check_ts_1.checkApi)(caller, 'meter', meter, 'createCounter', 'a Meter or false');
        (0, check_ts_1.checkBoolean)(caller, 'attemptSpans', attemptSpans);
        if (attributes !== undefined)
            (0, check_ts_1.checkObject)(caller, 'attributes', attributes);
        this.spans = tracer === false ? undefined : new spans_ts_1.RequestSpans(tracer, attemptSpans);
        this.#meter = meter;
        this.#attributes = attributes;
    }
    /** The attributes of everything that is reported of a request. */
    attributesOf(request) {
        let own = this.#known.get(request);
        if (own === undefined) {
            own = { ...this.#attributes, ...(0, http_attributes_ts_1.requestAttributes)(request) };
            this.#known.set(request, own);
        }
        return own;
    }
    follow(event) {
        const attributes = this.attributesOf(event.request);
        this.spans?.follow(event, attributes);
        if (this.#meter === false)
            return;
        // The meters of the global provider, unlike its tracers, do not follow a start of the SDK after the first request.
        const current = this.#meter ? undefined : api_1.metrics.getMeterProvider();
        if (this.#metrics === undefined || current !== this.#provider) {
            this.#metrics = new metrics_ts_1.RequestMetrics(this.#meter ?? api_1.metrics.getMeter(scope_ts_1.SCOPE, scope_ts_1.VERSION));
            this.#provider = current;
        }
        this.#metrics.count(event, attributes);
    }
}
exports.Telemetry = Telemetry;
//# sourceMappingURL=telemetry.js.map