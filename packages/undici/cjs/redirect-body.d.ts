import type { Clock } from '@ebb/core';
import type { ResponseHead } from './aside.ts';
import type { Connection } from './controller.ts';
import type { RawHeaders, ResponseHeaders } from './headers.ts';
import type { Held, HeldListener } from './held.ts';
import { Player } from './player.ts';
/** True for a response that a reader may leave unread. */
export declare function isRedirect(status: number): boolean;
export interface RedirectBodyListener extends HeldListener {
    /** Aborts the connection. What was kept of the body can still be played. */
    discard(reason: Error): void;
}
/**
 * The body of a redirect. The `fetch` of undici 7, and so that of Node 24, follows a redirect without reading its body: once a
 * buffer is full it pauses the connection for ever, and with it would keep a slot. This reads on while the handler is paused,
 * and keeps what arrives for a reader who wants it after all (`redirect: 'manual'`, `request`). A longer body has some time to
 * be asked for; then its connection is closed, and a late reader gets an error after what was kept.
 */
export declare class RedirectBody extends Player {
    #private;
    readonly head: ResponseHead;
    rawTrailers: RawHeaders;
    /** True once nothing more of it will come. */
    isOver: boolean;
    constructor(head: ResponseHead, connection: Connection, clock: Clock, listener: RedirectBodyListener);
    get rawHeaders(): RawHeaders;
    /** Takes what has arrived of a response that was held back. */
    takeOver({ chunks, isOver, error, rawTrailers, trailers }: Held): void;
    /** @param respond plays the headers */
    start(respond: () => void): void;
    take(chunk: Buffer): void;
    end(rawTrailers: RawHeaders, trailers: ResponseHeaders): void;
    /** The body ended early. */
    break(error: Error): void;
    protected next(): boolean;
    protected ended(error: unknown): void;
}
//# sourceMappingURL=redirect-body.d.ts.map