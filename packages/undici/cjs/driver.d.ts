import { AsyncResource } from 'node:async_hooks';
import { type Outcome } from '@ebb/core';
import { type Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/request-body.ts';
import { type AbortListener } from './controller.ts';
import { Downstream, type Path } from './downstream.ts';
import type { ResponseHead } from './headers.ts';
import type { Held } from './held.ts';
import type { Download } from './resume.ts';
import type { Composition, End, Steps } from './steps.ts';
/**
 * Drives a request: waits, sends an attempt, and from what came of it looks, sets aside or finishes. Retries and callbacks of
 * the policy run in the async context of the request; the handler is called as undici calls it.
 */
export declare abstract class Driver extends AsyncResource implements Steps, AbortListener {
    #private;
    readonly composition: Composition;
    readonly options: Dispatcher.DispatchOptions;
    readonly body: RequestBody | undefined;
    readonly session: Session;
    readonly downstream: Downstream;
    download: Download | undefined;
    constructor(composition: Composition, options: Dispatcher.DispatchOptions, body: RequestBody | undefined, session: Session, handler: Dispatcher.DispatchHandler, path?: Path);
    /**
     * Returns, as `dispatch` does, whether the caller may go on dispatching.
     *
     * @throws what the dispatcher throws, or what the handler throws when it is given an error
     */
    start(): boolean;
    wait(end: End, released?: Promise<void>): void;
    protected abstract makeAttempt(): Attempt;
    abstract respond(attempt: Attempt, head: ResponseHead, held: Held): void;
    started(attempt: Attempt, context: object | null | undefined): void;
    judge(attempt: Attempt | undefined, outcome: Outcome): boolean | undefined;
    setAside(attempt: Attempt, head: ResponseHead, held?: Held): void;
    failed(attempt: Attempt, error: Error): void;
    finish(end: End): void;
    giveUp(attempt: Attempt | undefined, error: Error): void;
    aborted(reason: Error | undefined): void;
}
//# sourceMappingURL=driver.d.ts.map