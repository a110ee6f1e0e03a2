import type { ClientBuckets } from './client-buckets.ts';
import type { Requests } from './requests.ts';
/** What happens to a request that needs tokens. */
export type Admission = 'go' | 'marked' | 'wait' | 'refused';
/**
 * The requests of each client that wait for its tokens: first come, first served, and retries ahead of new requests,
 * as in core's token bucket. `token-lines.property.test.ts` holds the two against each other.
 */
export declare class TokenLines {
    #private;
    constructor(clients: number, { rules, tokens }: ClientBuckets, cost: number, requests: Requests, lookAt: (client: number, atMs: number) => void);
    /** Takes the tokens of a request, or lets it wait for them, at most `maxWaitMs`. */
    acquire(request: number, maxWaitMs: number, nowMs: number): Admission;
    /**
     * Removes a request of the client that has its tokens now, and returns it; below 0 if there is none. Call it until
     * there is none.
     */
    look(client: number, nowMs: number): number;
    /** As {@link look}, but at any time, and without scheduling another look. */
    serve(client: number, nowMs: number): number;
    /** Removes a request that may wait no longer. */
    leave(request: number): void;
}
//# sourceMappingURL=token-lines.d.ts.map