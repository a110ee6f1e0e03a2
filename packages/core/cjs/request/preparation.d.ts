import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { HeaderChanges } from '../policy/before-attempt.ts';
import type { Policy } from '../policy/policy.ts';
import { type Hop } from './header-changes.ts';
import type { Total } from './total.ts';
/** Makes the body of an attempt. Its argument is `over` once the body is not needed any more. */
export type MakeBody = (state: {
    readonly over: boolean;
}) => PromiseLike<void> | undefined;
/** True if the policy has hooks that change the headers of an attempt. */
export declare function hasHooks({ beforeAttempt, idempotencyKey }: Policy): boolean;
/** What a preparation needs to know of its request. */
export interface PreparationContext {
    readonly policy: Policy;
    readonly request: RequestTraits;
    /** `undefined` without a total timeout. */
    readonly total: Total | undefined;
    /** True for a layer that leaves retries to the one around it. */
    readonly isInner: boolean;
    /** There if the request follows a redirect. */
    readonly hop: Hop | undefined;
    /** The request of the call as the outermost layer has it; `undefined` for that layer itself. */
    readonly callRequest: RequestTraits | undefined;
}
/**
 * The user's code that an attempt needs before it can be sent: hooks that change its headers, and a body factory. It may
 * take long, so it ends with the caller's signal, with the timeout of the attempt, whose time it takes, and with the total
 * timeout.
 */
export declare class Preparation {
    #private;
    /** The headers that the attempt changes; `undefined` for none. */
    changes: HeaderChanges | undefined;
    constructor({ policy, request, total, isInner, hop, callRequest }: PreparationContext);
    /** The key of ebb that every attempt carries; `undefined` before the first, and if there is none. */
    get idempotencyKey(): string | undefined;
    /** True if every attempt carries the same idempotency key of ebb. */
    get isKeyed(): boolean;
    /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
    get isKeyLost(): boolean;
    /** Prepares for the next attempt. */
    reset(): void;
    /** What is left of the timeout of the attempt, in milliseconds; `undefined` if it has none. */
    get attemptLeftMs(): number | undefined;
    /**
     * Asks the hooks for {@link changes}. Returns a promise if they return one.
     *
     * @throws HookError, at once or as a rejection, if a hook fails
     */
    dress(attempt: number, previous: Outcome | undefined): PromiseLike<void> | undefined;
    /**
     * Waits for user code, and returns how long it took, in milliseconds.
     *
     * @throws the signal's own reason when it aborts; OutOfTime; what the code throws
     */
    settle(start: () => PromiseLike<void> | undefined, signal: AbortSignal | undefined): Promise<number>;
    /**
     * Calls what makes the body, and returns how long that took, in milliseconds.
     *
     * @throws as {@link settle}
     */
    makeBody(make: MakeBody, signal: AbortSignal | undefined): Promise<number>;
}
//# sourceMappingURL=preparation.d.ts.map