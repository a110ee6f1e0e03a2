"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.RequestSpans = void 0;
const core_1 = require("@ebb/core");
const api_1 = require("@opentelemetry/api");
const http_attributes_ts_1 = require("./http-attributes.js");
const propagate_ts_1 = require("./propagate.js");
/** Makes a span of each request, and below it one of each attempt. */
class RequestSpans {
    #tracer;
    #withAttempts;
    /** A request that never ends is collected with its spans, which are then not exported. */
    #open = new WeakMap();
    constructor(tracer, withAttempts) {
        this.#tracer = tracer;
        this.#withAttempts = withAttempts;
    }
    /**
     * Called before an attempt is sent, and perhaps again if it has waited long.
     *
     * @param attributes those of the request
     */
    prepare({ request, attempt }, attributes, atMs) {
        const open = this.#openOf(request, attributes, atMs);
        if (!this.#withAttempts)
            return { request: open.context, attempt: undefined };
        // The span of an attempt begins before it waits for its slot and its tokens, since its headers are made then.
        if (open.attempt?.isSent !== true || open.attempt.number !== attempt) {
            open.attempt = this.#startAttempt(request, attempt, atMs, attributes, open.context);
        }
        return { request: open.context, attempt: api_1.trace.setSpan(open.context, open.attempt.span) };
    }
    /** The context in which a client sends an attempt: what an instrumentation below finds. */
    sendingContext(request) {
        const open = this.#open.get(request);
        if (open === undefined)
            return api_1.context.active();
        if (open.attempt === undefined)
            return open.context;
        const sending = api_1.trace.setSpan(open.context, open.attempt.span);
        // What a function of `retry` does is no second span of an attempt.
        return (0, http_attributes_ts_1.isHttp)(request) ? (0, propagate_ts_1.withoutInstrumentation)(sending) : sending;
    }
    /** @param attributes those of the request */
    follow(event, attributes) {
        // The object that hooks are given, too.
        const request = (0, core_1.detailsOf)(event)?.request ?? event.request;
        // The first event may come after a wait for tokens, which is part of the request.
        const waitedMs = event.type === 'throttle' ? event.waitMs : 0;
        const open = this.#openOf(request, attributes, event.atMs - waitedMs);
        const time = hrTime(event.atMs);
        switch (event.type) {
            case 'throttle':
                open.span.addEvent('ebb.throttle', { 'ebb.wait': event.waitMs / 1000, 'ebb.wait.slot': event.slotMs / 1000 }, time);
                return;
            case 'mark':
                open.span.addEvent('ebb.mark', {}, time);
                return;
            case 'other-retries':
                open.span.addEvent('ebb.other_retries', { 'ebb.header': event.header, 'ebb.library': event.library }, time);
                return;
            case 'attempt':
                if (this.#withAttempts)
                    this.#sendAttempt(open, event, attributes);
                return;
            case 'retry':
                endAttempt(open, event.outcome, time);
                open.span.addEvent('ebb.retry', { 'ebb.retry.reason': event.reason, 'ebb.retry.delay': event.delayMs / 1000 }, time);
                return;
            case 'end':
                this.#open.delete(request);
                if (event.outcome !== undefined)
                    endAttempt(open, event.outcome, time);
                endRequest(open.span, event, time);
        }
    }
    /** The parent is the context of the first event or hook, which is that of the call: core calls them within its async context. */
    #openOf(request, attributes, startMs) {
        const known = this.#open.get(request);
        if (known !== undefined)
            return known;
        const parent = api_1.context.active();
        // The conventions have a CLIENT span for each send, and none for the request around them.
        const options = { kind: api_1.SpanKind.INTERNAL, startTime: hrTime(startMs), attributes };
        const span = this.#tracer.startSpan('ebb.request', options, parent);
        const open = { span, context: api_1.trace.setSpan(parent, span), attempt: undefined };
        this.#open.set(request, open);
        return open;
    }
    #sendAttempt(open, { request, attempt, atMs }, attributes) {
        const prepared = open.attempt?.isSent === false && open.attempt.number === attempt ? open.attempt : undefined;
        open.attempt = prepared ?? this.#startAttempt(request, attempt, atMs, attributes, open.context);
        open.attempt.isSent = true;
        if (atMs > open.attempt.startMs)
            open.attempt.span.addEvent('ebb.sent', {}, hrTime(atMs));
    }
    #startAttempt(request, number, startMs, attributes, parent) {
        const resends = number > 1 && (0, http_attributes_ts_1.isHttp)(request) ? { 'http.request.resend_count': number - 1 } : {};
        const options = {
            kind: (0, http_attributes_ts_1.isHttp)(request) ? api_1.SpanKind.CLIENT : api_1.SpanKind.INTERNAL,
            startTime: hrTime(startMs),
            attributes: { ...attributes, ...resends },
        };
        const span = this.#tracer.startSpan((0, http_attributes_ts_1.spanNameOf)(request), options, parent);
        return { span, number, startMs, isSent: false };
    }
}
exports.RequestSpans = RequestSpans;
function endAttempt(open, outcome, time) {
    const { attempt } = open;
    open.attempt = undefined;
    if (attempt === undefined || !attempt.isSent)
        return;
    const { span } = attempt;
    span.setAttributes((0, http_attributes_ts_1.outcomeAttributes)(outcome));
    if ((0, http_attributes_ts_1.errorTypeOf)(outcome) !== undefined)
        span.setStatus({ code: api_1.SpanStatusCode.ERROR });
    span.end(time);
}
function endRequest(span, event, time) {
    const { outcome, reason, attempt, error } = event;
    span.setAttributes({ 'ebb.stop.reason': reason, 'ebb.attempts': attempt });
    if (outcome !== undefined)
        span.setAttributes((0, http_attributes_ts_1.outcomeAttributes)(outcome));
    // Without an outcome, or after an abort during a wait, the caller gets an error of its own. So it does if a hook failed.
    const own = outcome === undefined || reason === 'aborted' ? reason : undefined;
    const type = own ?? (error?.hook === undefined ? outcome && (0, http_attributes_ts_1.errorTypeOf)(outcome) : error.name);
    if (type !== undefined) {
        span.setAttribute('error.type', type);
        span.setStatus({ code: api_1.SpanStatusCode.ERROR });
    }
    span.end(time);
}
/** A number would be taken for one of `performance.now` if it is small, as on a virtual clock. */
function hrTime(atMs) {
    const seconds = Math.floor(atMs / 1000);
    return [seconds, Math.min(999_999_999, Math.round((atMs - seconds * 1000) * 1e6))];
}
//# sourceMappingURL=spans.js.map