import { createPolicy, type Plugin, type Policy, type PolicyOptions } from '@ebb/core';
import { context } from '@opentelemetry/api';
import { isHttp } from './http-attributes.ts';
import { headersOf } from './propagate.ts';
import { Telemetry, type TelemetryOptions } from './telemetry.ts';

/**
 * The policy with telemetry: what {@link telemetry} reports, and each attempt carries its trace to the server
 * (`traceparent`), by the global propagator. The span of an attempt is active while the client sends it, and an
 * instrumentation of the client makes no second one. With `attemptSpans: false` the instrumentation makes the spans of the
 * attempts, below the one of the request, and sends the headers.
 *
 * The policy's own `onEvent`, `beforeAttempt` and `wrapAttempt` are called as well, and headers that `beforeAttempt` or
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
export function instrument(
  policyOrOptions: PolicyOptions = {},
  telemetryOptions: TelemetryOptions = {},
): Policy {
  const telemetry = new Telemetry('instrument', telemetryOptions);
  const { spans } = telemetry;
  const { clock, onEvent, beforeAttempt, plugins = [] } = createPolicy(policyOrOptions);
  const observed: PolicyOptions = {
    ...policyOrOptions,
    onEvent(event) {
      let result: unknown;
      try {
        telemetry.follow(event);
      } finally {
        result = onEvent?.(event);
      }
      return result;
    },
  };
  if (spans === undefined) return createPolicy(observed);

  const trace: Plugin = {
    name: 'trace',
    // Called before the user's own hook: one that throws ends the request.
    publicHeaders(next) {
      const { request } = next;
      spans.prepare(next, telemetry.attributesOf(request), clock.now());
      return isHttp(request) ? headersOf(request, () => spans.attemptContext(request)) : undefined;
    },
    wrapAttempt: (send, { request }) => context.with(spans.sendingContext(request), send),
  };
  return createPolicy({
    ...observed,
    plugins: [...plugins, trace],
    // The requests of a hook, for a fresh token say, are a part of the request.
    beforeAttempt:
      beforeAttempt &&
      ((next) => context.with(spans.requestContext(next.request), () => beforeAttempt(next))),
  });
}
