import { type Outcome } from '@ebb/core';
import { type Aside, type Exchange, type MakeBody, type Peek, type Session } from '@ebb/core/adapter';
import type { FetchRequest } from './request.ts';
/** Sends the attempts of one call of `fetch`. */
export declare class Call implements Exchange<Response> {
    #private;
    /** There if the caller's signal is that of another library. */
    private readonly followed?;
    constructor(baseFetch: typeof fetch, request: FetchRequest);
    /** The caller's signal, or a native one that follows it. */
    get signal(): AbortSignal | undefined;
    /** True if {@link end} has to be called. */
    get mayLeaveOpen(): boolean;
    /** As it is sent now. */
    get request(): FetchRequest;
    get makeBody(): MakeBody | undefined;
    send(session: Session): Promise<Response>;
    /** The first attempt was sent before the call was made. */
    sent(session: Session): void;
    /** Sends without a policy. Only a body factory still needs ebb. */
    sendBare(): Promise<Response>;
    outcome(response: Response): Outcome;
    failure(error: unknown): Outcome;
    peek(response: Response): Peek | undefined;
    setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined;
    whenBodyEnds(settled: unknown, ended: () => void): unknown;
    unsent(reason: unknown): void;
    /** Ends the call. Closes its upload at once, or when the body of the response has ended. */
    end(settled: unknown, failed: boolean): void;
}
//# sourceMappingURL=call.d.ts.map