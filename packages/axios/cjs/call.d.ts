import type { Outcome, Policy } from '@ebb/core';
import { type Aside, type Exchange, type MakeBody, type Peek, type Session } from '@ebb/core/adapter';
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { Route } from './adapter.ts';
import { type AxiosCopy } from './axios-copy.ts';
import type { RequestBody } from './body/request-body.ts';
import type { CallerSignal } from './cancel.ts';
import { LayerMark } from './config-changes.ts';
import type { Traits } from './traits.ts';
/** The call whose adapter has a config, and may pass it to another instance. A copy of the config refers to the same call. */
declare const CALL: unique symbol;
type CallConfig = InternalAxiosRequestConfig & {
    [CALL]?: Call;
};
/** The call whose attempt is under way with a config, or with the one that it was copied from. */
export declare function callOf(config: CallConfig): Call | undefined;
/** What a call is made of. */
export interface CallParts {
    /** The interceptor's policy, without the options of the request. */
    readonly policy: Policy;
    readonly route: Route;
    /** The copy of axios that the request belongs to, if it is known. */
    readonly copy: AxiosCopy | undefined;
    readonly body: RequestBody;
    readonly caller: CallerSignal | undefined;
    /** The call of another policy that is under way with the same config. */
    readonly outer: Call | undefined;
    /** There if a layer above has marked the config. */
    readonly mark: LayerMark | undefined;
}
/**
 * One call of an axios method, and how each of its attempts is sent.
 *
 * The adapter gets the caller's config itself, not a copy, because the response or error must refer to that object.
 * What an attempt changes in it is restored when the attempt settles.
 */
export declare class Call implements Exchange<AxiosResponse> {
    #private;
    underWay: boolean;
    readonly policy: Policy;
    readonly config: CallConfig;
    readonly copy: AxiosCopy | undefined;
    constructor(session: Session, traits: Traits, parts: CallParts);
    get signal(): AbortSignal | undefined;
    get makeBody(): MakeBody | undefined;
    timeoutError(timeoutMs: number): unknown;
    send(session: Session): Promise<AxiosResponse>;
    outcome(response: AxiosResponse): Outcome;
    failure(error: unknown): Outcome;
    peek(settled: unknown, maxBytes: number): Peek | undefined;
    setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined;
    whenBodyEnds(settled: unknown, ended: () => void): unknown;
    unsent(reason: unknown): void;
    /** Ends an upload that the last attempt, which failed, has left unfinished. */
    closeUpload(response: AxiosResponse | undefined): void;
    /** Restores the config after an abort, and removes the listeners from the caller's signal. */
    end(): void;
}
export {};
//# sourceMappingURL=call.d.ts.map