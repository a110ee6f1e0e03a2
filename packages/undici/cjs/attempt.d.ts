import type { Duplex } from 'node:stream';
import type { Clock } from '@ebb/core';
import type { Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { Aside } from './aside.ts';
import { type AttemptListener, type UploadListener } from './attempt-listener.ts';
import type { DispatchChanges, RequestBody } from './body/request-body.ts';
import type { Connection } from './controller.ts';
import type { ResponseHead, ResponseHeaders } from './headers.ts';
import { Held, type HeldListener } from './held.ts';
/**
 * One send. Each attempt is a handler of its own, so that late events of an attempt that was given up cannot be
 * mistaken for those of the next one.
 */
export declare class Attempt implements Dispatcher.DispatchHandler, HeldListener {
    #private;
    connection: Connection;
    readonly onBodySent?: (chunk: Buffer | string) => void;
    readonly onRequestSent?: () => void;
    /** How often undici started it: more than once if an interceptor below follows redirects. */
    starts: number;
    /** The URLs that redirected, if undici's redirect interceptor is below. */
    hops: readonly unknown[] | undefined;
    /** @param upload only if the handler listens to the upload: for a handler that does, a MockAgent reads the body */
    constructor(listener: AttemptListener<Attempt>, upload?: UploadListener);
    get over(): boolean;
    /** True if it was given up while undici still had it in a queue. */
    get isQueued(): boolean;
    /** Hides the methods that the caller's handler lacks, until the attempt starts. */
    mirror(handler: Dispatcher.DispatchHandler, options: Dispatcher.DispatchOptions): void;
    /** Fails with undici's own timeout error, which names `namedMs`, if no response headers come within `timeoutMs`. */
    limit(clock: Clock, timeoutMs: number, namedMs: number): void;
    /** Has {@link releaseBody} close the body that was taken for this attempt; at once if the attempt is over. */
    reads(body: RequestBody | undefined, taken: DispatchChanges): void;
    /** Closes the body that was taken for this attempt. */
    releaseBody(): void;
    onRequestStart(connection: Dispatcher.DispatchController, context: object | null | undefined): void;
    onRequestUpgrade(from: Connection, status: number, headers: ResponseHeaders, socket: Duplex): unknown;
    onResponseStart(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void;
    onResponseData(_: Connection, chunk: Buffer): void;
    onResponseEnd(_: Connection, trailers: ResponseHeaders): void;
    onResponseError(connection: Connection, error: Error): void;
    /** The listener gets the body of the response. */
    forward(): void;
    /** Keeps the response back until it is played, set aside or dropped. */
    hold(head: ResponseHead): Held;
    /** The listener gets what was held back, and then the rest. */
    play(held: Held, respond: () => void): void;
    discard(reason: Error): void;
    data(chunk: Buffer): void;
    end(_: Held, trailers: ResponseHeaders): void;
    fail(error: unknown): void;
    playedAll(): void;
    /** Reads the response to its end, within bounds, and keeps it; also one that was held back. */
    setAside(head: ResponseHead, session: Session, held?: Held): Aside;
    /** Gives up a response that was set aside, because it is too long. */
    giveUp(): void;
    /** Aborts the connection, without an event to the listener. */
    drop(reason: Error): void;
    /**
     * Fails at once with the reason, in any state; does nothing once it is over. undici reports the abort before it
     * closes the connection, so that a handler can destroy its upload with the reason.
     */
    abort(reason?: Error): void;
}
//# sourceMappingURL=attempt.d.ts.map