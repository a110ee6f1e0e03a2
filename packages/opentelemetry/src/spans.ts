import { detailsOf, type EbbEvent, type NextAttempt } from '@ebb/core';
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
import { withoutInstrumentation } from './propagate.ts';

/** The spans of a request that has not ended. */
interface Open {
  readonly span: Span;
  /** Parent of the attempts. */
  readonly context: Context;
  attempt: OpenAttempt | undefined;
}

interface OpenAttempt {
  readonly span: Span;
  /** From 1. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  /** False while it waits for its slot and its tokens. An attempt that is never sent has no span. */
  isSent: boolean;
}

type Request = EbbEvent['request'];

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

  /**
   * Called before an attempt is sent, and perhaps again if it has waited long.
   *
   * @param attributes those of the request
   * @returns the context of the attempt; `undefined` if attempts have no spans
   */
  prepare({ request, attempt }: NextAttempt, attributes: Attributes, atMs: number): Context | undefined {
    const open = this.#openOf(request, attributes, atMs);
    if (!this.#withAttempts) return undefined;
    // The span of an attempt begins before it waits for its slot and its tokens, since its headers are made then.
    if (open.attempt?.isSent !== true || open.attempt.number !== attempt) {
      open.attempt = this.#startAttempt(request, attempt, atMs, attributes, open.context);
    }
    return trace.setSpan(open.context, open.attempt.span);
  }

  /** The context of a request after {@link prepare}. */
  requestContext(request: Request): Context {
    return this.#open.get(request)?.context ?? context.active();
  }

  /** The context in which a client sends an attempt: what an instrumentation below finds. */
  sendingContext(request: Request): Context {
    const open = this.#open.get(request);
    if (open === undefined) return context.active();
    if (open.attempt === undefined) return open.context;
    const sending = trace.setSpan(open.context, open.attempt.span);
    // What a function of `retry` does is no second span of an attempt.
    return isHttp(request) ? withoutInstrumentation(sending) : sending;
  }

  /** @param attributes those of the request */
  follow(event: EbbEvent, attributes: Attributes): void {
    if (event.type === 'hedge') {
      // Of a request of its own, which is sent below the attempt, and has no span.
      trace
        .getActiveSpan()
        ?.addEvent(
          'ebb.hedge',
          { 'ebb.hedge.delay': event.delayMs / 1000, 'ebb.hedge.won': event.won },
          hrTime(event.atMs),
        );
      return;
    }
    // The object that hooks are given, too.
    const request = detailsOf(event)?.request ?? event.request;
    // The first event may come after a wait for tokens, which is part of the request.
    const waitedMs = event.type === 'throttle' ? event.waitMs : 0;
    const open = this.#openOf(request, attributes, event.atMs - waitedMs);
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
      case 'skip':
        open.span.addEvent(
          'ebb.skip',
          event.delayMs === undefined ? {} : { 'ebb.retry.delay': event.delayMs / 1000 },
          time,
        );
        return;
      case 'share':
        open.span.addEvent('ebb.share', { 'ebb.state': event.state, 'ebb.share': event.share }, time);
        return;
      case 'other-retries':
        open.span.addEvent(
          'ebb.other_retries',
          { 'ebb.header': event.header, 'ebb.library': event.library },
          time,
        );
        return;
      case 'attempt':
        if (this.#withAttempts) this.#sendAttempt(open, event, attributes);
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
        this.#open.delete(request);
        if (event.outcome !== undefined) endAttempt(open, event.outcome, time);
        endRequest(open.span, event, time);
    }
  }

  /** The parent is the context of the first event or hook, which is that of the call: core calls them within its async context. */
  #openOf(request: Request, attributes: Attributes, startMs: number): Open {
    const known = this.#open.get(request);
    if (known !== undefined) return known;
    const parent = context.active();
    // The conventions have a CLIENT span for each send, and none for the request around them.
    const options = { kind: SpanKind.INTERNAL, startTime: hrTime(startMs), attributes };
    const span = this.#tracer.startSpan('ebb.request', options, parent);
    const open = { span, context: trace.setSpan(parent, span), attempt: undefined };
    this.#open.set(request, open);
    return open;
  }

  #sendAttempt(open: Open, { request, attempt, atMs }: EbbEvent, attributes: Attributes): void {
    const prepared =
      open.attempt?.isSent === false && open.attempt.number === attempt ? open.attempt : undefined;
    open.attempt = prepared ?? this.#startAttempt(request, attempt, atMs, attributes, open.context);
    open.attempt.isSent = true;
    if (atMs > open.attempt.startMs) open.attempt.span.addEvent('ebb.sent', {}, hrTime(atMs));
  }

  #startAttempt(
    request: Request,
    number: number,
    startMs: number,
    attributes: Attributes,
    parent: Context,
  ): OpenAttempt {
    const resends = number > 1 && isHttp(request) ? { 'http.request.resend_count': number - 1 } : {};
    const options = {
      kind: isHttp(request) ? SpanKind.CLIENT : SpanKind.INTERNAL,
      startTime: hrTime(startMs),
      attributes: { ...attributes, ...resends },
    };
    const span = this.#tracer.startSpan(spanNameOf(request), options, parent);
    return { span, number, startMs, isSent: false };
  }
}

function endAttempt(open: Open, outcome: Outcome, time: HrTime): void {
  const { attempt } = open;
  open.attempt = undefined;
  if (attempt === undefined || !attempt.isSent) return;
  const { span } = attempt;
  span.setAttributes(outcomeAttributes(outcome));
  if (errorTypeOf(outcome) !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(time);
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
