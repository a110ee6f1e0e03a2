import type { InternalAxiosRequestConfig } from 'axios';
import type { FactoryBody } from './factory-body.ts';
/** The body of a request whose `data` is `factory`'s function, or any other value. */
export declare function requestBody(data: unknown, factory: FactoryBody | undefined): RequestBody;
/** The body of a request: the caller's `data`, or what is sent in its place. */
export declare class RequestBody {
    #private;
    /** @throws TypeError for a function that a later interceptor has set, which the transforms have seen */
    constructor(data: unknown, factory: FactoryBody | undefined);
    get replayable(): boolean;
    /** If `data` is a form that can be buffered, buffers it so that it can be sent more than once. */
    bufferForm(): void;
    /** Whether each attempt sends what {@link next} returns in place of `data`. */
    get isReplaced(): boolean;
    /**
     * The body of the next attempt, if {@link isReplaced}; sets its headers in the config.
     *
     * @param isOver true if the attempt has ended before its body was made
     * @throws HookError as {@link FactoryBody.next} does
     */
    next(config: InternalAxiosRequestConfig, isOver: () => boolean): unknown;
    /** Puts the caller's `data` back into the config. */
    restore(config: InternalAxiosRequestConfig): void;
    /** Closes the body that was made for the current attempt. */
    release(): void;
    /** Closes the caller's stream if no attempt was sent. */
    closeUnsent(reason: unknown): void;
    /**
     * Closes the body that was made for the last attempt, which failed, unless it was read to its end. With a
     * streamed response it waits for that to close first.
     */
    closeUpload(data: unknown, request: unknown): void;
}
//# sourceMappingURL=request-body.d.ts.map