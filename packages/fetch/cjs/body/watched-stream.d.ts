/** Receives the events of a watched stream. */
export interface StreamObserver {
    /** Reading has begun. */
    taken(): void;
    /** The source has ended or failed. */
    ended(): void;
    /** The stream was cancelled; the connection is closed when `gone` settles. */
    cancelled(gone: Promise<unknown>): void;
}
/** A stream with an observer. */
export interface WatchedStream {
    readonly stream: ReadableStream;
    /** Locks the source. */
    lock(): void;
    /** Unlocks the source if readers of the stream have been released without a read. */
    release(): void;
    /** Locks the stream, because the source is read in another way. */
    shut(): void;
}
/**
 * A stream that reads another one and reports that to an observer. It is a byte stream if the source is, so that chunks
 * pass through unchanged. It locks the source only when it is read itself.
 *
 * @param first the source at the time of the call
 * @param source returns the source when reading begins: `clone()` may have replaced it by then
 * @param length length of the body in bytes, if known: a reader that has all bytes may never read the end
 */
export declare function watchedStream(first: ReadableStream, source: () => unknown, length: number | undefined, observer: StreamObserver): WatchedStream;
//# sourceMappingURL=watched-stream.d.ts.map