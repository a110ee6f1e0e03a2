import type { Clock } from '@ebb/core';
import { type Peek } from '@ebb/core/adapter';
import type { Connection } from './controller.ts';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { Player } from './player.ts';
/** Gets what a held response plays. */
export interface HeldListener {
    /** True once nothing more is to be played. */
    readonly over: boolean;
    data(chunk: Buffer): void;
    end(held: Held, trailers: ResponseHeaders): void;
    fail(error: unknown): void;
    /** The handler has aborted, or thrown. */
    abort(error: Error): void;
    /** All that was held has been played. The rest comes from the connection. */
    playedAll?(): void;
    /** Aborts the connection of a redirect. What was kept of its body can still be played. */
    discard?(reason: Error): void;
}
/**
 * A response that is held back until it has been judged. It keeps what arrives, and pauses the connection when that is more
 * than a look at the body asks for. Then it plays what it has kept, in place of a connection: it stops while the handler is
 * paused. What follows comes from the connection itself; the handler still pauses it through this.
 */
export declare class Held extends Player implements Peek {
    #private;
    readonly head: ResponseHead;
    /** What has arrived of the body, encoded as it came. */
    chunks: Buffer[];
    trailers: ResponseHeaders;
    rawTrailers: RawHeaders;
    /** Why the body is incomplete. */
    error: Error | undefined;
    /** True once nothing more of it will come. */
    isOver: boolean;
    /** @param listener without `playedAll` and `discard` for a response that is over */
    constructor(head: ResponseHead, connection: Connection, listener: HeldListener);
    get rawHeaders(): RawHeaders;
    take(chunk: Buffer): void;
    /** All of it has arrived. */
    arrived(rawTrailers: RawHeaders, trailers: ResponseHeaders): void;
    /** The body ended early. */
    break(error: Error): void;
    read(): Promise<Buffer | undefined>;
    stop(): void;
    /** Has the connection go on, if it was paused. It may deliver at once. */
    letGo(): void;
    /**
     * For the body of a redirect. The `fetch` of undici 7, and so that of Node 24, follows a redirect without reading its body:
     * once a buffer is full it pauses the connection for ever, and with it would keep a slot. So it is read on while the handler
     * is paused, and kept for a reader who wants it after all (`redirect: 'manual'`, `request`). A longer body has some time to be
     * asked for; then its connection is closed, and a late reader gets an error after what was kept.
     */
    readOn(clock: Clock): void;
    pause(): void;
    /** @param respond plays the headers */
    start(respond: () => void): void;
    protected next(): boolean;
    protected ended(error: unknown): void;
}
//# sourceMappingURL=held.d.ts.map