import type { HeaderChanges, Policy, RequestTraits } from '@ebb/core';
import { Upload } from './body/upload.ts';
import { type InitChanges } from './changes.ts';
import type { EbbRequestInit, FetchInput } from './init.ts';
/**
 * True if the arguments of a call can be passed on as they are, and again for a retry: no body that can be used up, nothing that may
 * end the call early, nothing for ebb, and a method for which the first hop does not matter.
 */
export declare function isSimple(input: FetchInput, init: EbbRequestInit | undefined): boolean;
/** The arguments of a call of `fetch`, and the traits that policies and hooks see. */
export declare class FetchRequest implements RequestTraits {
    #private;
    /** The caller's signal. */
    readonly signal: AbortSignal | undefined;
    constructor(input: FetchInput, init: EbbRequestInit | undefined);
    get method(): string;
    get url(): string;
    header(name: string): string | undefined;
    get replayable(): boolean;
    /** That of the init: a `Request` has a stream. */
    get body(): unknown;
    /** What the layers of ebb above have put into the init. */
    get carried(): unknown;
    /** True if the source of the body may still be open when the call ends. */
    get mayLeaveOpen(): boolean;
    /** True if the caller's function makes the body of each attempt. */
    get hasFactory(): boolean;
    /**
     * Inspects the body before the first attempt.
     *
     * @param isKept keeps the body of a `Request` for a retry
     */
    upload(isKept: boolean): Upload | undefined;
    /** Closes the source of the body, for a request that is not sent. */
    cancelUpload(reason: unknown): void;
    /**
     * True if a refused connection must be proven to be that of the first hop before a retry. If it is that of a redirect
     * target, the first server has already processed a request that must not be repeated.
     */
    needsProof({ methods }: Policy): boolean;
    get followsRedirects(): boolean;
    /** The headers of one attempt. */
    changedHeaders(changes: HeaderChanges): Headers;
    /** The same request, as it is sent again: it must not get the response of the attempt before. */
    forRetry(): FetchRequest;
    /** Calls the base fetch, with the caller's own arguments if nothing has to change. */
    sendWith(baseFetch: typeof fetch, made: InitChanges | undefined, signal: AbortSignal | undefined, layer: object | undefined): Promise<Response>;
}
//# sourceMappingURL=request.d.ts.map