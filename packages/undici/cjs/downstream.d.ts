import type { Duplex } from 'node:stream';
import { type Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Connection, Controller } from './controller.ts';
import type { ResponseHeaders } from './headers.ts';
import type { Trail, Trails } from './trail.ts';
type Handler = Dispatcher.DispatchHandler;
/** The trail of a call, and where it is looked for. */
export interface Path {
    readonly trail: Trail;
    readonly trails: Trails;
}
/** The caller's handler, which sees all attempts as one request. */
export declare class Downstream {
    #private;
    readonly controller: Controller;
    /** True once the handler threw in a callback, which ends the request. */
    threw: boolean;
    /** @param path where hops that follow a redirect find this call; `undefined` if no one needs to know */
    constructor(handler: Handler, controller: Controller, session: Session, path?: Path);
    get handler(): Handler;
    /** True if the handler listens to the upload. */
    get watchesUpload(): boolean;
    get over(): boolean;
    /**
     * Starts the handler. Later attempts add to the same context.
     *
     * @param isAgain true if the same attempt has started before: undici starts a request for each hop, and again after a
     *   pipeline broke
     */
    start(context?: object | null, isAgain?: boolean): void;
    /** Gives the handler its controller before anything is sent, so that it can abort the wait. */
    begin(): void;
    /** Passes an informational response on, unless an earlier attempt had one of the same status. */
    inform(attempt: {
        readonly connection: Connection;
    }, status: number, headers: ResponseHeaders, message?: string): void;
    /** Begins the response that the handler gets. */
    respond(connection: Connection, status: number, headers: ResponseHeaders, message?: string): void;
    data(chunk: Buffer): void;
    end(connection: Connection, trailers: ResponseHeaders): void;
    upgrade(connection: Connection, status: number, headers: ResponseHeaders, socket: Duplex): unknown;
    /**
     * Ends with an error.
     *
     * @param connection passed as the controller if the handler was never started, as undici does
     * @throws what the handler throws: as without ebb, the caller that reports the error gets it
     */
    fail(error: unknown, connection?: Connection): void;
    /** For a response that was set aside: undici also reports what a handler throws as an error. */
    abort(error: unknown): void;
    /** A dispatcher that wraps another reports what the handler threw in `onResponseError`. */
    failAgain(error: Error): void;
    /** Ends without a callback: the dispatcher threw, and the caller of `dispatch` gets the error. */
    endSilently(): void;
    /** Passes on the part of a chunk that no earlier attempt has sent. */
    bodySent(startsAt: number, chunk: Buffer | string): void;
    requestSent(isAgain: boolean): void;
}
export {};
//# sourceMappingURL=downstream.d.ts.map