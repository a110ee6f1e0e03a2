import type { NextAttempt } from '@ebb/core';
import { type Context, createContextKey, propagation } from '@opentelemetry/api';

type Headers = Readonly<Record<string, string>>;

/**
 * The headers that carry a context to the server, by the propagator of the program: `traceparent` for most. None if the
 * request has one of them already, since another has decided then what its trace is.
 */
export function headersOf(context: Context, request: NextAttempt['request']): Headers | undefined {
  if (propagation.fields().some((name) => request.header(name) !== undefined)) return undefined;
  const headers: Record<string, string> = {};
  propagation.inject(context, headers);
  return headers;
}

/** Known to every SDK by its name: a tracer makes no spans in such a context, and a propagator writes no headers. */
const SUPPRESS = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** A context in which an instrumentation of the client makes no second span of an attempt, and no second header. */
export function withoutInstrumentation(context: Context): Context {
  return context.setValue(SUPPRESS, true);
}
