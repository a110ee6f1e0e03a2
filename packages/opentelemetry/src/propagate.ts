import type { HeaderChangesInit, NextAttempt } from '@ebb/core';
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
  own: HeaderChangesInit | undefined,
): HeaderChangesInit | undefined {
  if (trace === undefined) return own;
  if (own === undefined || own === null) return trace;
  const changes = pairsIn(own);
  // The policy refuses anything else, and says why.
  if (!changes.every(isPair)) return own;
  const names = new Set(changes.map(([name]) => name.toLowerCase()));
  return [...Object.entries(trace).filter(([name]) => !names.has(name.toLowerCase())), ...changes];
}

type Pair = readonly [name: string, value: string | undefined];

function pairsIn(own: unknown): readonly unknown[] {
  if (typeof own !== 'object' || own === null || own instanceof Map) return [undefined];
  return Symbol.iterator in own ? [...(own as Iterable<unknown>)] : Object.entries(own);
}

function isPair(pair: unknown): pair is Pair {
  return Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string';
}

/** Known to every SDK by its name: a tracer makes no spans in such a context, and a propagator writes no headers. */
const SUPPRESS = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** A context in which an instrumentation of the client makes no second span of an attempt, and no second header. */
export function withoutInstrumentation(context: Context): Context {
  return context.setValue(SUPPRESS, true);
}
