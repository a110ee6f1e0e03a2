import type { Dispatcher } from 'undici';
import type { RawHeaders } from './headers.ts';
/** Plays a response that has arrived before, in place of a connection: it stops while the handler is paused. */
export declare abstract class Player implements Dispatcher.DispatchController {
    #private;
    abstract readonly rawHeaders: RawHeaders;
    abstract readonly rawTrailers: RawHeaders;
    aborted: boolean;
    paused: boolean;
    reason: Error | null;
    pause(): void;
    resume(): void;
    abort(reason?: Error): void;
    /** Goes on after something has arrived, unless the handler is paused or has not had the headers. */
    protected playMore(): void;
    /** @param first what comes before the body */
    protected play(first?: () => void): void;
    /**
     * Plays the headers, and then the body.
     *
     * @param mayFail true if the body ends with an error, or is not complete. A `fetch` makes its body in the promises that follow
     *   the headers: an error in the same turn of the event loop has no body to fail, and a read of that body would wait for ever
     */
    protected begin(respond: () => void, mayFail: boolean): void;
    /** True if an error must not be played yet. Unless the handler pauses, playing goes on by itself in the next turn. */
    protected delaysError(): boolean;
    /** Plays the next chunk, or the end; false if nothing follows for now. */
    protected abstract next(): boolean;
    /** The handler has aborted, or thrown. */
    protected abstract ended(error: unknown): void;
}
//# sourceMappingURL=player.d.ts.map