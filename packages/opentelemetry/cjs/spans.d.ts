import { type EbbEvent, type NextAttempt } from '@ebb/core';
import { type Attributes, type Context, type Tracer } from '@opentelemetry/api';
/** Where a request is now. */
interface Contexts {
    readonly request: Context;
    /** `undefined` if attempts have no spans. */
    readonly attempt: Context | undefined;
}
type Request = EbbEvent['request'];
/** Makes a span of each request, and below it one of each attempt. */
export declare class RequestSpans {
    #private;
    constructor(tracer: Tracer, withAttempts: boolean);
    /**
     * Called before an attempt is sent, and perhaps again if it has waited long.
     *
     * @param attributes those of the request
     */
    prepare({ request, attempt }: NextAttempt, attributes: Attributes, atMs: number): Contexts;
    /** The context in which a client sends an attempt: what an instrumentation below finds. */
    sendingContext(request: Request): Context;
    /** @param attributes those of the request */
    follow(event: EbbEvent, attributes: Attributes): void;
}
export {};
//# sourceMappingURL=spans.d.ts.map