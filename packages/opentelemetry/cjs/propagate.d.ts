import type { HeaderChangesInit, NextAttempt } from '@ebb/core';
import { type Context } from '@opentelemetry/api';
type Headers = Readonly<Record<string, string>>;
/**
 * The headers that carry a context to the server, by the propagator of the program: `traceparent` for most. None if the
 * request has one of them already, since another has decided then what its trace is.
 */
export declare function headersOf(context: Context, request: NextAttempt['request']): Headers | undefined;
/** The headers of a trace with the changes of the user's own `beforeAttempt`, which win. */
export declare function merged(trace: Headers | undefined, own: HeaderChangesInit | undefined): HeaderChangesInit | undefined;
/** A context in which an instrumentation of the client makes no second span of an attempt, and no second header. */
export declare function withoutInstrumentation(context: Context): Context;
export {};
//# sourceMappingURL=propagate.d.ts.map