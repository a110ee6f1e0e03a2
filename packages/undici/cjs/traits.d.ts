import { type FailureKind, type Outcome, type RequestTraits } from '@ebb/core';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/request-body.ts';
import { type ResponseHeaders } from './headers.ts';
/** The traits of a request, computed when they are read. */
export declare class Traits implements RequestTraits {
    #private;
    /** @param ownOrigin the origin if the options have none */
    constructor(options: Dispatcher.DispatchOptions, body: RequestBody | undefined, ownOrigin: string);
    get method(): string;
    get url(): string;
    get replayable(): boolean;
    get body(): unknown;
    header(name: string): string | undefined;
}
/** The outcome of an attempt with a response. */
export declare function responseOutcome(attempt: Attempt, status: number, headers: ResponseHeaders): Outcome;
/** The outcome of an attempt that failed. */
export declare function failureOutcome(attempt: Attempt, kind: FailureKind, error: unknown, { origin }: Dispatcher.DispatchOptions): Outcome;
/** What kind of failure an error before the response is. */
export declare function failureKindOf(attempt: Attempt, error: Error): FailureKind;
//# sourceMappingURL=traits.d.ts.map