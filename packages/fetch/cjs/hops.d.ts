/** A request on undici's diagnostics channel. */
interface SentRequest {
    readonly origin?: unknown;
    readonly path?: unknown;
    readonly method?: unknown;
}
/** Counts the requests that one attempt sends, redirects included. */
export declare class Hops {
    #private;
    /** Sends the attempt, and counts its requests. Counts nothing in a runtime that does not report them. */
    count<T>(send: () => Promise<T>): Promise<T>;
    record(request: SentRequest | undefined): void;
    /**
     * True if a failed attempt certainly failed at its first hop: it sent exactly one request, to its own URL. Nothing is
     * certain with a base fetch that sends other requests, or does not use Node's own client.
     */
    failedAtFirst(method: string, url: string): boolean;
}
export {};
//# sourceMappingURL=hops.d.ts.map