/** The open requests. The place of a request that has ended is used again, so that a request makes no garbage. */
export declare class Requests {
    #private;
    open: number;
    begin(client: number, nowMs: number): number;
    end(request: number): void;
    /** Reads a request, if there is one, so that it is in the processor's cache when its event happens. */
    touch(request: number): number;
    client(request: number): number;
    /** The current attempt, or the one that is waited for, from 1. */
    attempt(request: number): number;
    startedAtMs(request: number): number;
    /** What the backoff rule returned for the previous retry; `undefined` for the first. */
    previousBackoffMs(request: number): number | undefined;
    /** Starts the next attempt, which comes after this backoff. */
    retry(request: number, backoffMs: number): void;
    /** Changes when earlier messages and timers of the request no longer count. */
    stamp(request: number): number;
    /** Cancels all messages and timers of the request, and returns the new stamp. */
    renew(request: number): number;
    /** The request behind this one in its line. */
    next(request: number): number;
    link(request: number, next: number): void;
    /** When the request began to wait for its tokens. */
    sinceMs(request: number): number;
    startWait(request: number, nowMs: number): void;
    /** When the request got its tokens. */
    grantedAtMs(request: number): number;
    grant(request: number, nowMs: number): void;
}
//# sourceMappingURL=requests.d.ts.map