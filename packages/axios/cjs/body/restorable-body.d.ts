/** A response body that is read before a retry, to free its connection, and can be restored if there is no retry. */
export declare class RestorableBody {
    #private;
    readonly isStream: boolean;
    isBrokenOff: boolean;
    /** @param keeps whether to keep the body, so that {@link restored} returns it whole */
    constructor(data: unknown, keeps: boolean);
    breakOff(): void;
    /** Reads the body to its end, or until it is broken off. Never rejects. */
    read(): Promise<void>;
    /** A stream of the same kind and content. If the body was not kept, reading it fails with the reason. */
    restored(): unknown;
}
//# sourceMappingURL=restorable-body.d.ts.map