/**
 * The origins that report no quota with their successful responses. Looking for one takes seven headers, more than all
 * else that a bucket does for a request, and most origins report one always or never.
 *
 * The first response of an origin is read, and all of them if it has ever reported a quota. If an origin begins to report
 * later, at most 31 responses go unread, to requests that were granted within 100 ms. Should one of them say that the quota
 * is used up, the pause begins with the refusal of the next request: responses with an error are always read.
 */
export declare class QuietOrigins {
    #private;
    /**
     * True if a successful response need not be read. If false, tell {@link heard} when it reports a quota.
     *
     * @param grantedAtMs when its request was granted, in milliseconds on any one clock
     */
    mayIgnore(origin: string, grantedAtMs: number): boolean;
    /** Notes that an origin has reported a quota. */
    heard(origin: string): void;
}
//# sourceMappingURL=quiet-origins.d.ts.map