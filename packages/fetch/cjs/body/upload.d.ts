import type { InitChanges } from '../changes.ts';
import type { BodyFactory, EbbRequestInit } from '../init.ts';
/** The body of a call, from its first attempt to its end. */
export declare class Upload {
    #private;
    constructor(body: EbbRequestInit['body'], request: Request | undefined, isKept: boolean);
    /** True if the next attempt can send the same body. */
    get replayable(): boolean;
    get factory(): BodyFactory | undefined;
    /** True if the factory has not yet made the body of the attempt. */
    get isMissing(): boolean;
    /** True if a body was made that has not been sent. */
    get isUnsent(): boolean;
    /**
     * What an attempt sends in place of the caller's body: the one that the factory has made, or the copy of a `Request`'s body,
     * once it is complete.
     */
    takeBody(): InitChanges | undefined;
    /**
     * Makes the body of an attempt with the caller's factory.
     *
     * @param isOver true if the attempt has ended in the meantime
     * @throws HookError if the factory throws
     */
    make(isOver: () => boolean): Promise<void>;
    /** True if the body that was made for the attempt may still be open. */
    get isOpen(): boolean;
    /** Closes the body that was made for the attempt. */
    endAttempt(): void;
    /** Ends the copying of a `Request`'s body: there is no further attempt. */
    stopKeeping(): void;
}
//# sourceMappingURL=upload.d.ts.map