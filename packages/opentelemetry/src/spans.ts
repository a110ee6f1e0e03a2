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
import { hedgeResult } from './hedge-result.ts';
import { errorTypeOf, isHttp, type Outcome, outcomeAttributes, spanNameOf } from './http-attributes.ts';
import { withoutInstrumentation } from './propagate.ts';

/** The spans of a request that has not ended. */
interface OpenSpans {
  readonly span: Span;
  /** Parent of the attempts. */
  readonly context: Context;
  /** The attempt in flight. */
  attempt: Span | undefined;
}

type Request = EbbEvent['request'];

/** Makes a span of each request, and below it one of each attempt. */
export class RequestSpans {
  readonly #tracer: Tracer;
  readonly #withAttempts: boolean;
  /** A request that never ends is collected with its spans, which are then not exported. */
  readonly #open = new WeakMap<object, OpenSpans>();

  constructor(tracer: Tracer, withAttempts: boolean) {
    this.#tracer = tracer;
    this.#withAttempts = withAttempts;
  }

  /**
   * Called before the hooks of an attempt, which may be before its first event.
   *
   * @param attributes those of the request
   */
  prepare({ request }: NextAttempt, attributes: Attributes, atMs: number): void {
    this.#openOf(request, attributes, atMs);
  }

  /** The context of an attempt that is being sent; `undefined` if attempts have no spans. */
  attemptContext(request: Request): Context | undefined {
    const open = this.#open.get(request);
    return open?.attempt && trace.setSpan(open.context, open.attempt);
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
    const sending = trace.setSpan(open.context, open.attempt);
    // Instrumentation is off for HTTP alone: its span would repeat the attempt, and the spans inside a function of `retry` do not.
    return isHttp(request) ? withoutInstrumentation(sending) : sending;
  }

  /** @param attributes those of the request */
  follow(event: EbbEvent, attributes: Attributes): void {
    // The object that hooks are given, too.
    const request = detailsOf(event)?.request ?? event.request;
    const time = hrTime(event.atMs);
    const [name, noted] = noteOf(event);
    if (isBeside(event)) {
      const span = this.#open.get(request)?.span ?? trace.getActiveSpan();
      span?.addEvent(name as string, noted, time);
      return;
    }
    // The first event may come after a wait for tokens, which is part of the request.
    const waitedMs = event.type === 'wait' ? event.waitedMs : 0;
    const open = this.#openOf(request, attributes, event.atMs - waitedMs);
    if (event.type === 'attempt' && this.#withAttempts)
      open.attempt = this.#startAttempt(event, attributes, open.context);
    if (event.type === 'retry') endAttempt(open, event.outcome, time);
    if (name !== undefined) open.span.addEvent(name, noted, time);
    if (event.type !== 'end') return;
    this.#open.delete(request);
    endAttempt(open, event.outcome, time);
    endRequest(open.span, event, time);
  }

  /** The parent is the context of the first event or hook, which is that of the call: core calls them within its async context. */
  #openOf(request: Request, attributes: Attributes, startMs: number): OpenSpans {
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

/**
 * True for an event that may have a request of its own, or come after the end: a hedge is sent below an attempt, and its outcome teaches
 * a throttle. It begins no span.
 */
function isBeside({ type, attempt }: EbbEvent): boolean {
  return /^(hedge|resume|resume-end)$/.test(type) || (type === 'throttle' && attempt > 0);
}

/** The name of the event in a span, and its attributes; `undefined` for those that begin or end a span. */
function noteOf(event: EbbEvent): readonly [name?: string, attributes?: Attributes] {
  switch (event.type) {
    case 'wait':
      return ['ebb.wait', { 'ebb.wait': event.waitedMs / 1000, 'ebb.wait.slot': event.slotMs / 1000 }];
    case 'mark':
      return ['ebb.mark', {}];
    case 'attempt-skipped':
      return [
        'ebb.attempt_skipped',
        event.delayMs === undefined ? {} : { 'ebb.retry.delay': event.delayMs / 1000 },
      ];
    case 'throttle': {
      const { state, level, failures, retryAllowance } = event;
      const attributes = { 'ebb.state': state, 'ebb.level': level, 'ebb.failures': failures.join(' ') };
      return ['ebb.throttle', { ...attributes, 'ebb.retry_allowance': retryAllowance }];
    }
    case 'nested-retries':
      return ['ebb.nested_retries', { 'ebb.header': event.header, 'ebb.library': event.library }];
    case 'retry':
      return ['ebb.retry', { 'ebb.retry.reason': event.reason, 'ebb.retry.delay': event.delayMs / 1000 }];
    case 'hedge':
      return [
        'ebb.hedge',
        { 'ebb.hedge.delay': event.delayMs / 1000, 'ebb.hedge.result': hedgeResult(event) },
      ];
    case 'resume':
      return ['ebb.resume', { 'ebb.resume.delay': event.delayMs / 1000, 'ebb.resume.reason': event.reason }];
    case 'resume-end':
      return ['ebb.resume_end', { 'ebb.resume.result': event.result }];
    default:
      return [];
  }
}

/** @param outcome `undefined` if nothing came of it, as after a hook that failed */
function endAttempt(open: OpenSpans, outcome: Outcome | undefined, time: HrTime): void {
  const { attempt: span } = open;
  open.attempt = undefined;
  if (span === undefined) return;
  if (outcome !== undefined) {
    span.setAttributes(outcomeAttributes(outcome));
    if (errorTypeOf(outcome) !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  }
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
