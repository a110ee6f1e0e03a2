import type { HeaderChanges, NextAttempt } from '@ebb/core';
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

/** The headers of a trace with the changes of the user's own `beforeAttempt`, which win. */
export function merged(
  trace: Headers | undefined,
  own: HeaderChanges | undefined,
): HeaderChanges | undefined {
  if (trace === undefined) return own;
  if (own === undefined || own === null) return trace;
  const changes = recordOf(own);
  // The policy refuses it, and says why.
  if (changes === undefined) return own;
  const names = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  return {
    ...Object.fromEntries(Object.entries(trace).filter(([name]) => !names.has(name.toLowerCase()))),
    ...changes,
  };
}

/** Changes as an object; `undefined` for what no policy takes. */
function recordOf(own: unknown): HeaderChanges | undefined {
  if (typeof own !== 'object' || own === null || own instanceof Map) return undefined;
  if (!(Symbol.iterator in own)) return own as HeaderChanges;
  const pairs = [...(own as Iterable<unknown>)];
  const areHeaders = pairs.every((pair) => Array.isArray(pair) && pair.length === 2);
  return areHeaders ? Object.fromEntries(pairs as [string, string][]) : undefined;
}

/** Known to every SDK by its name: a tracer makes no spans in such a context, and a propagator writes no headers. */
const SUPPRESS = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** A context in which an instrumentation of the client makes no second span of an attempt, and no second header. */
export function withoutInstrumentation(context: Context): Context {
  return context.setValue(SUPPRESS, true);
}
