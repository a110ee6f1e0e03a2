import type { DispatchChanges, RequestBody } from './request-body.ts';
/** Calls a body factory for each attempt, and closes bodies that an attempt did not read to the end. */
export declare class BodyFactoryCalls implements RequestBody {
    #private;
    readonly replayable = true;
    constructor(make: () => unknown);
    /**
     * Calls the factory. A body that comes when it is not needed any more is closed.
     *
     * @throws HookError, as a rejection, if the factory throws, or returns a stream that was read before
     */
    make: (state: {
        readonly over: boolean;
    }) => Promise<void>;
    take(): DispatchChanges;
    /** Closes a body that was made for an attempt that is not sent. */
    unsent(): void;
    close(): void;
    /** A stream that is not read to its end would keep its file open. */
    release({ body }: DispatchChanges): void;
}
//# sourceMappingURL=body-factory.d.ts.map