import type { HeaderChanges, NextAttempt } from '@ebb/core';
import { type Context, createContextKey, propagation } from '@opentelemetry/api';

/**
 * The headers that carry a context to the server, by the propagator of the program: `traceparent` for most. None if the
 * request has one of them already, since another has decided then what its trace is.
 *
 * @param contextOf returns the context when the headers are sent; `undefined` for none
 */
export function headersOf(
  request: NextAttempt['request'],
  contextOf: () => Context | undefined,
): HeaderChanges | undefined {
  const names = propagation.fields();
  if (names.some((name) => request.header(name) !== undefined)) return undefined;
  let headers: Record<string, string> | undefined;
  const carried = (name: string): string | undefined => {
    if (headers === undefined) {
      const context = contextOf();
      headers = {};
      if (context !== undefined) propagation.inject(context, headers);
    }
    return headers[name];
  };
  return Object.fromEntries(names.map((name) => [name, () => carried(name)]));
}

/** Known to every SDK by its name: a tracer makes no spans in such a context, and a propagator writes no headers. */
const SUPPRESS = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** A context in which an instrumentation of the client makes no second span of an attempt, and no second header. */
export function withoutInstrumentation(context: Context): Context {
  return context.setValue(SUPPRESS, true);
}
