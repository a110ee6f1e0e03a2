import type { Dispatcher } from 'undici';
import type { RawHeaders } from './headers.ts';
/** The controller of one attempt, made by the dispatcher; a mock may have none. */
export type Connection = Dispatcher.DispatchController | null | undefined;
/** Is told when the handler aborts. */
export interface AbortListener {
    /** @param reason as the handler gave it: undici has an error of its own for none */
    aborted(reason: Error | undefined): void;
}
/**
 * The controller that the handler has for the whole request. With a controller per attempt, a handler could pause one
 * connection and resume that one later, while its data comes on another.
 */
export declare class Controller implements Dispatcher.DispatchController {
    #private;
    rawHeaders: RawHeaders;
    rawTrailers: RawHeaders;
    constructor(listener: AbortListener);
    get aborted(): boolean;
    get reason(): Error | null;
    get paused(): boolean;
    pause(): void;
    resume(): void;
    abort(reason?: Error): void;
    /** From now on data comes on this connection, which is paused if the handler is. */
    attach(connection: Connection): void;
}
//# sourceMappingURL=controller.d.ts.map