"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.headersOf = headersOf;
exports.merged = merged;
exports.withoutInstrumentation = withoutInstrumentation;
const api_1 = require("@opentelemetry/api");
/**
 * The headers that carry a context to the server, by the propagator of the program: `traceparent` for most. None if the
 * request has one of them already, since another has decided then what its trace is.
 */
function headersOf(context, request) {
    if (api_1.propagation.fields().some((name) => request.header(name) !== undefined))
        return undefined;
    const headers = {};
    api_1.propagation.inject(context, headers);
    return headers;
}
/** The headers of a trace with the changes of the user's own `beforeAttempt`, which win. */
function merged(trace, own) {
    if (trace === undefined)
        return own;
    if (own === undefined || own === null)
        return trace;
    const changes = pairsIn(own);
    // The policy refuses anything else, and says why.
    if (!changes.every(isPair))
        return own;
    const names = new Set(changes.map(([name]) => name.toLowerCase()));
    return [...Object.entries(trace).filter(([name]) => !names.has(name.toLowerCase())), ...changes];
}
function pairsIn(own) {
    if (typeof own !== 'object' || own === null || own instanceof Map)
        return [undefined];
    return Symbol.iterator in own ? [...own] : Object.entries(own);
}
function isPair(pair) {
    return Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string';
}
/** Known to every SDK by its name: a tracer makes no spans in such a context, and a propagator writes no headers. */
const SUPPRESS = (0, api_1.createContextKey)('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
/** A context in which an instrumentation of the client makes no second span of an attempt, and no second header. */
function withoutInstrumentation(context) {
    return context.setValue(SUPPRESS, true);
}
//# sourceMappingURL=propagate.js.map