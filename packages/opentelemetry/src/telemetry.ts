import type { EbbEvent } from '@ebb/core';
import { type Attributes, type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import { checkApi, checkBoolean, checkNames, checkObject } from './check.ts';
import { requestAttributes } from './http-attributes.ts';
import { RequestMetrics } from './metrics.ts';
import { SCOPE } from './scope.ts';
import { RequestSpans } from './spans.ts';

/** Options of {@link telemetry}. */
export interface TelemetryOptions {
  /**
   * Makes the spans; `false` for none.
   * @default the global tracer provider's, of the name `@ebb/opentelemetry`
   */
  readonly tracer?: Tracer | false | undefined;
  /**
   * Makes the metrics; `false` for none.
   * @default the global meter provider's, of the name `@ebb/opentelemetry`
   */
  readonly meter?: Meter | false | undefined;
  /**
   * Whether each attempt has a span. Turn it off if an instrumentation of the client makes one for each send.
   * @default true
   */
  readonly attemptSpans?: boolean | undefined;
  /**
   * Further attributes of every span and metric, such as the name of an upstream.
   * @default none
   */
  readonly attributes?: Attributes | undefined;
}

/**
 * An observer for the `onEvent` of a policy. It makes one span for each request with one below it for each attempt, by the
 * HTTP semantic conventions of OpenTelemetry (version 1.23 and later), and metrics whose names start with `ebb.client.`.
 * The parent is the span that is active when the request begins.
 *
 * Of a URL only the host and the port are reported. Paths, queries, credentials, headers, bodies and messages of errors are
 * not.
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { telemetry } from '@ebb/opentelemetry';
 *
 * const policy = createPolicy({ onEvent: telemetry({ attributes: { 'peer.service': 'orders' } }) });
 * ```
 */
export function telemetry(options: TelemetryOptions = {}): (event: EbbEvent) => void {
  checkObject('telemetry', 'options', options);
  checkNames('telemetry', options, ['tracer', 'meter', 'attemptSpans', 'attributes']);
  const { tracer = trace.getTracer(SCOPE), meter, attemptSpans = true, attributes } = options;
  if (tracer !== false) checkApi('telemetry', 'tracer', tracer, 'startSpan', 'a Tracer or false');
  if (meter) checkApi('telemetry', 'meter', meter, 'createCounter', 'a Meter or false');
  checkBoolean('telemetry', 'attemptSpans', attemptSpans);
  if (attributes !== undefined) checkObject('telemetry', 'attributes', attributes);

  const spans = tracer === false ? undefined : new RequestSpans(tracer, attemptSpans);
  let counted: RequestMetrics | undefined;
  let provider: unknown;
  /** Parsing a URL for each event would cost more than the rest. */
  const known = new WeakMap<object, Attributes>();

  return (event) => {
    const { request } = event;
    let own = known.get(request);
    if (own === undefined) {
      own = { ...attributes, ...requestAttributes(request) };
      known.set(request, own);
    }
    spans?.follow(event, own);
    if (meter === false) return;
    // The meters of the global provider, unlike its tracers, do not follow a start of the SDK after the first request.
    const current = meter ? undefined : metrics.getMeterProvider();
    if (counted === undefined || current !== provider) {
      counted = new RequestMetrics(meter ?? metrics.getMeter(SCOPE));
      provider = current;
    }
    counted.count(event, own);
  };
}
