import type { EbbEvent } from '@ebb/core';
import { type Attributes, type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import { checkApi, checkBoolean, checkNames, checkObject } from './check.ts';
import { requestAttributes } from './http-attributes.ts';
import { RequestMetrics } from './metrics.ts';
import { SCOPE, VERSION } from './scope.ts';
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
   * Whether each attempt has a span, and with `instrument` headers with it. Turn it off if an instrumentation of the client is
   * to make the span of each send, and its headers.
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
 * The parent is the span that is active when the request begins. An observer cannot change what is sent: for headers that
 * carry the trace to the server use {@link instrument}.
 *
 * Only the host and the port of a URL are reported. Paths, queries, credentials, headers, bodies and messages of errors are not.
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
  const made = new Telemetry('telemetry', options);
  return (event) => made.follow(event);
}

type Request = EbbEvent['request'];

/** Spans and metrics of all requests of a policy. */
export class Telemetry {
  /** `undefined` if none are wanted. */
  readonly spans: RequestSpans | undefined;
  readonly #meter: Meter | false | undefined;
  readonly #attributes: Attributes | undefined;
  #metrics: RequestMetrics | undefined;
  #provider: unknown;
  /** Parsing a URL for each event would cost more than the rest. */
  readonly #known = new WeakMap<object, Attributes>();

  /** @throws TypeError for a wrong option */
  constructor(caller: string, options: TelemetryOptions) {
    checkObject(caller, 'options', options);
    checkNames(caller, options, ['tracer', 'meter', 'attemptSpans', 'attributes']);
    const { tracer = trace.getTracer(SCOPE, VERSION), meter, attemptSpans = true, attributes } = options;
    if (tracer !== false) checkApi(caller, 'tracer', tracer, 'startSpan', 'a Tracer or false');
    if (meter) checkApi(caller, 'meter', meter, 'createCounter', 'a Meter or false');
    checkBoolean(caller, 'attemptSpans', attemptSpans);
    if (attributes !== undefined) checkObject(caller, 'attributes', attributes);
    this.spans = tracer === false ? undefined : new RequestSpans(tracer, attemptSpans);
    this.#meter = meter;
    this.#attributes = attributes;
  }

  /** The attributes of everything that is reported of a request. */
  attributesOf(request: Request): Attributes {
    let own = this.#known.get(request);
    if (own === undefined) {
      own = { ...this.#attributes, ...requestAttributes(request) };
      this.#known.set(request, own);
    }
    return own;
  }

  follow(event: EbbEvent): void {
    const attributes = this.attributesOf(event.request);
    this.spans?.follow(event, attributes);
    if (this.#meter === false) return;
    // The meters of the global provider, unlike its tracers, do not follow a start of the SDK after the first request.
    const current = this.#meter ? undefined : metrics.getMeterProvider();
    if (this.#metrics === undefined || current !== this.#provider) {
      this.#metrics = new RequestMetrics(this.#meter ?? metrics.getMeter(SCOPE, VERSION));
      this.#provider = current;
    }
    this.#metrics.count(event, attributes);
  }
}
