import type { EbbEvent } from '@ebb/core';
import {
  type Attributes,
  type Context,
  context,
  type HrTime,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { errorTypeOf, isHttp, type Outcome, outcomeAttributes, spanNameOf } from './http-attributes.ts';

/** The spans of a request that has not ended. */
interface Open {
  readonly span: Span;
  /** Parent of the attempts. */
  readonly context: Context;
  attempt: Span | undefined;
}

/** Makes a span of each request, and below it one of each attempt. */
export class RequestSpans {
  readonly #tracer: Tracer;
  readonly #withAttempts: boolean;
  /** A request that never ends is collected with its spans, which are then not exported. */
  readonly #open = new WeakMap<object, Open>();

  constructor(tracer: Tracer, withAttempts: boolean) {
    this.#tracer = tracer;
    this.#withAttempts = withAttempts;
  }

  /** @param attributes those of the request */
  follow(event: EbbEvent, attributes: Attributes): void {
    const open = this.#openOf(event, attributes);
    const time = hrTime(event.atMs);
    switch (event.type) {
      case 'throttle':
        open.span.addEvent(
          'ebb.throttle',
          { 'ebb.wait': event.waitMs / 1000, 'ebb.wait.slot': event.slotMs / 1000 },
          time,
        );
        return;
      case 'mark':
        open.span.addEvent('ebb.mark', {}, time);
        return;
      case 'other-retries':
        open.span.addEvent(
          'ebb.other_retries',
          { 'ebb.header': event.header, 'ebb.library': event.library },
          time,
        );
        return;
      case 'attempt':
        if (this.#withAttempts) open.attempt = this.#startAttempt(event, attributes, open.context);
        return;
      case 'retry':
        endAttempt(open, event.outcome, time);
        open.span.addEvent(
          'ebb.retry',
          { 'ebb.retry.reason': event.reason, 'ebb.retry.delay': event.delayMs / 1000 },
          time,
        );
        return;
      case 'end':
        this.#open.delete(event.request);
        if (event.outcome !== undefined) endAttempt(open, event.outcome, time);
        endRequest(open.span, event, time);
    }
  }

  /** The parent is the context of the first event, which is that of the call: core reports within its async context. */
  #openOf(event: EbbEvent, attributes: Attributes): Open {
    const known = this.#open.get(event.request);
    if (known !== undefined) return known;
    // The first event may come after a wait for tokens, which is part of the request.
    const waitedMs = event.type === 'throttle' ? event.waitMs : 0;
    const parent = context.active();
    // The conventions have a CLIENT span for each send, and none for the request around them.
    const options = { kind: SpanKind.INTERNAL, startTime: hrTime(event.atMs - waitedMs), attributes };
    const span = this.#tracer.startSpan('ebb.request', options, parent);
    const open = { span, context: trace.setSpan(parent, span), attempt: undefined };
    this.#open.set(event.request, open);
    return open;
  }

  #startAttempt({ request, attempt, atMs }: EbbEvent, attributes: Attributes, parent: Context): Span {
    const resends = attempt > 1 && isHttp(request) ? { 'http.request.resend_count': attempt - 1 } : {};
    const options = {
      kind: isHttp(request) ? SpanKind.CLIENT : SpanKind.INTERNAL,
      startTime: hrTime(atMs),
      attributes: { ...attributes, ...resends },
    };
    return this.#tracer.startSpan(spanNameOf(request), options, parent);
  }
}

function endAttempt(open: Open, outcome: Outcome, time: HrTime): void {
  const { attempt } = open;
  if (attempt === undefined) return;
  open.attempt = undefined;
  attempt.setAttributes(outcomeAttributes(outcome));
  if (errorTypeOf(outcome) !== undefined) attempt.setStatus({ code: SpanStatusCode.ERROR });
  attempt.end(time);
}

function endRequest(span: Span, event: Extract<EbbEvent, { type: 'end' }>, time: HrTime): void {
  const { outcome, reason, attempt, error } = event;
  span.setAttributes({ 'ebb.stop.reason': reason, 'ebb.attempts': attempt });
  if (outcome !== undefined) span.setAttributes(outcomeAttributes(outcome));
  // Without an outcome, or after an abort during a wait, the caller gets an error of its own. So it does if a hook failed.
  const own = outcome === undefined || reason === 'aborted' ? reason : undefined;
  const type = own ?? (error?.hook === undefined ? outcome && errorTypeOf(outcome) : error.name);
  if (type !== undefined) {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(time);
}

/** A number would be taken for one of `performance.now` if it is small, as on a virtual clock. */
function hrTime(atMs: number): HrTime {
  const seconds = Math.floor(atMs / 1000);
  return [seconds, Math.min(999_999_999, Math.round((atMs - seconds * 1000) * 1e6))];
}
