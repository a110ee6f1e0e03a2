import type { Policy, RequestTraits } from '@ebb/core';
import type { Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { ResponseHeaders } from './headers.ts';
/** True for a response that a reader may leave unread. */
export declare function isRedirect(status: number): boolean;
/**
 * A call and the redirects that it follows. undici follows redirects above ebb, so that each hop is dispatched as a request of its
 * own; but what a hook adds belongs to the origin of the call.
 */
export declare class Trail {
    #private;
    readonly origin: string;
    /** True once a hop had another origin. It stays: a client does not restore the headers that it removed either. */
    isAway: boolean;
    /** The idempotency key of the call. It is carried on once: a caller who sends to the same URL again wants a key of its own. */
    key: string | undefined;
    constructor(request: RequestTraits);
    /** Notes the response that the handler is about to get. */
    note(request: RequestTraits, status: number, { location }: ResponseHeaders): void;
    /** True if the last response was a redirect. */
    get isRedirected(): boolean;
    /** True if a request is what the last response asks for. */
    leadsTo(request: RequestTraits): boolean;
    /** What a hop needs to know of the call. */
    hop(request: RequestTraits): {
        readonly isAway: boolean;
        readonly key: string | undefined;
    };
}
/** True if a policy adds headers, so that it matters which requests are hops. */
export declare function addsHeaders({ beforeAttempt, idempotencyKey }: Policy): boolean;
/**
 * Finds the call of a hop. undici's redirect interceptor dispatches a hop while its handler is called, and a `fetch` from its own
 * async context, which is that of the call's first dispatch. Entering that context also enters it in what the caller does
 * next; so a request is a hop only if it is exactly what the last response has asked for.
 */
export declare class Trails {
    #private;
    /** The trail of a request; `undefined` if it needs none. For a hop it also tells the session. */
    trailOf(session: Session, handler: Dispatcher.DispatchHandler): Trail | undefined;
    /** Calls the handler, so that a hop that it dispatches is found. */
    within<T>(trail: Trail, call: () => T): T;
}
//# sourceMappingURL=trail.d.ts.map