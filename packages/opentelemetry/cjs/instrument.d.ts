import { type Policy, type PolicyOptions } from '@ebb/core';
import { type TelemetryOptions } from './telemetry.ts';
/**
 * The policy with telemetry: what {@link telemetry} reports, and each attempt carries its trace to the server
 * (`traceparent`), by the global propagator. The span of an attempt is active while the client sends it, and an
 * instrumentation of the client makes no second one. With `attemptSpans: false` the instrumentation makes the spans of the
 * attempts, below the one of the request, and sends the headers.
 *
 * The policy's own `onEvent`, `beforeAttempt` and `aroundAttempt` are called as well, and headers that `beforeAttempt` or
 * the caller sets win.
 *
 * @throws TypeError, RangeError for a wrong option of either
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { instrument } from '@ebb/opentelemetry';
 *
 * const fetch = createFetch(instrument({ maxRetries: 3 }, { attributes: { 'peer.service': 'orders' } }));
 * ```
 */
export declare function instrument(policyOrOptions?: Policy | PolicyOptions, telemetryOptions?: TelemetryOptions): Policy;
//# sourceMappingURL=instrument.d.ts.map