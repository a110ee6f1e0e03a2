import type { EbbEvent } from '@ebb/core';
import { type Attributes, type Meter, type Tracer } from '@opentelemetry/api';
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
export declare function telemetry(options?: TelemetryOptions): (event: EbbEvent) => void;
type Request = EbbEvent['request'];
/** Spans and metrics of all requests of a policy. */
export declare class Telemetry {
    #private;
    /** `undefined` if none are wanted. */
    readonly spans: RequestSpans | undefined;
    /** @throws TypeError for a wrong option */
    constructor(caller: string, options: TelemetryOptions);
    /** The attributes of everything that is reported of a request. */
    attributesOf(request: Request): Attributes;
    follow(event: EbbEvent): void;
}
export {};
//# sourceMappingURL=telemetry.d.ts.map