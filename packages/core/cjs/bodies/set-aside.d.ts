import { type Clock } from '../base/clock.ts';
/** The most bytes of a discarded body that are read. For a longer one, closing the connection is cheaper. */
export declare const MOST_DISCARDED_BYTES: number;
/** The longest time for reading a discarded body, in milliseconds. A body that has not ended by then may never end. */
export declare const LONGEST_DISCARD_MS = 1000;
/** How far a body is read that is set aside. */
export interface AsideBounds {
    readonly clock: Clock;
    /** How long it is read, in milliseconds. */
    readonly longestMs: number;
    /** How much of it is kept, in bytes; it is read up to {@link MOST_DISCARDED_BYTES}. */
    readonly mostKeptBytes: number;
    /** The `Content-Length`, in bytes; `NaN` if there is none. */
    readonly contentLength: number;
    /** Ends the reading when it aborts. */
    readonly signal?: AbortSignal | undefined;
}
/**
 * A body whose response is to be followed by a retry. It is read to its end, within bounds, so that the retry can use its
 * connection; and it is kept, because it becomes the result if the retry is not sent. A source gives it to `take` and `end`.
 */
export declare class SetAside<Part = unknown> {
    #private;
    readonly bounds: AsideBounds;
    /** The body as far as it came; `undefined` if it is too long to keep. */
    parts: Part[] | undefined;
    /** True once nothing more of it will come. */
    isOver: boolean;
    /** True if it was read to its end, kept or not. */
    isWhole: boolean;
    /** What it broke with. */
    error: unknown;
    /** Resolves when the connection can be used again, or is closed. Never rejects. */
    readonly released: Promise<void>;
    /** @param source `giveUp` closes the connection */
    constructor(bounds: AsideBounds, source: {
        giveUp(): void;
    });
    /** Gives the body up when its time is over, or at once if its `Content-Length` is too large. To be called once. */
    limit(): void;
    /** A part has arrived. */
    take(part: Part): void;
    /** @param isWhole false if the body ended early */
    end(isWhole: boolean, error?: unknown): void;
}
/** Why the parts are not the whole body that was set aside; `undefined` if they are. */
export declare function missing({ isWhole, parts, error, bounds }: SetAside): unknown;
//# sourceMappingURL=set-aside.d.ts.map