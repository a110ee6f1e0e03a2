import type { Outcome, Policy } from '@ebb/core';
import type { Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Aside } from './aside.ts';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/request-body.ts';
import type { Downstream } from './downstream.ts';
import type { ResponseHead } from './headers.ts';
import type { Held } from './held.ts';
import type { Download } from './resume.ts';
import type { Trails } from './trail.ts';
/** One call of `compose`. */
export interface Composition {
    readonly policy: Policy;
    readonly dispatch: Dispatcher.Dispatch;
    /** The origin of requests whose options have none. */
    readonly ownOrigin: string;
    readonly trails: Trails;
}
/** What a request ends with: a response that was set aside, an error, or a call of the handler. */
export type End = Aside | Error | (() => unknown);
/** The steps of a request, for what is particular to undici and stands in a file of its own. */
export interface Steps {
    readonly composition: Composition;
    readonly options: Dispatcher.DispatchOptions;
    /** `undefined` if the options can be dispatched again as they are. */
    readonly body: RequestBody | undefined;
    readonly session: Session;
    readonly downstream: Downstream;
    /** The response that the handler is receiving, if it can be resumed. */
    download: Download | undefined;
    /** True for a retry; `undefined` if a hook threw or aborted, which has ended the request. */
    judge(attempt: Attempt | undefined, outcome: Outcome): boolean | undefined;
    /** Sets the response aside and waits for the retry, unless it is the rest of a download, whose own error then counts. */
    setAside(attempt: Attempt, head: ResponseHead, held?: Held): void;
    /**
     * Waits for the retry, and sends it.
     *
     * @param end what the request ends with if the retry is not sent
     * @param released resolves when the connection of the attempt can be used again
     */
    wait(end: End, released?: Promise<void>): void;
    /** Gives the handler a response that was held back. */
    respond(attempt: Attempt, head: ResponseHead, held: Held): void;
    /** Ends the request. */
    finish(end: End): void;
    /** Ends with an error while undici still has the attempt. */
    giveUp(attempt: Attempt | undefined, error: Error): void;
}
//# sourceMappingURL=steps.d.ts.map