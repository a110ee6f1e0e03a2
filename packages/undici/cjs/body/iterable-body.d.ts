import type { DispatchChanges, RequestBody } from './request-body.ts';
/** An iterable. It is sent again only if its first chunk was never requested. */
export declare class SentOnce implements RequestBody {
    #private;
    replayable: boolean;
    /** @param names the options that hold the body */
    constructor(body: AsyncIterable<unknown> | Iterable<unknown>, names: readonly string[]);
    take(): DispatchChanges;
    [Symbol.asyncIterator](): AsyncGenerator<unknown>;
    /** Ends a generator that was never started. */
    unsent(): void;
}
/**
 * Keeps the chunks of a generator, so that each attempt sends it from the start. Several attempts may read at the same
 * time: an attempt whose response came early may still be uploading when the next one begins.
 */
export declare class Recording implements RequestBody {
    #private;
    readonly replayable = true;
    /** @param names the options that hold the body */
    constructor(source: AsyncGenerator<Uint8Array>, names: readonly string[]);
    take(): DispatchChanges;
    [Symbol.asyncIterator](): AsyncGenerator<Uint8Array>;
    /** Lets fetch close the source that it reads from. */
    close(): void;
}
//# sourceMappingURL=iterable-body.d.ts.map