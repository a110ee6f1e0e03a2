import type { RequestTraits } from '@ebb/core';
import { type RequestHeaders, type ResponseHeaders } from './headers.ts';
/** True if a response ended short of its length. undici reports this code after `Connection: close`. */
export declare function isCutOff({ code }: Error & {
    readonly code?: unknown;
}): boolean;
/** A response that can be resumed if its connection breaks. */
export declare class Download {
    #private;
    /** The error that last broke it. */
    brokenBy: Error | undefined;
    private constructor();
    /**
     * `undefined` for a response that cannot be resumed. It must state its range and have a strong ETag: only that
     * guarantees that the rest has the same bytes, content coding included (RFC 9110 §8.8.1).
     */
    static of(request: RequestTraits, status: number, headers: ResponseHeaders): Download | undefined;
    /** Counts a chunk; returns false if the body is longer than stated. */
    take(chunk: Uint8Array): boolean;
    get isComplete(): boolean;
    /** The headers of a request for the rest, which fails (412) if the resource has changed. */
    changesForRest(headers: RequestHeaders): {
        readonly headers: unknown[];
    };
    /** True if a response is exactly the missing rest. */
    isContinuedBy(status: number, headers: ResponseHeaders): boolean;
}
//# sourceMappingURL=resume.d.ts.map