/** Something that happens to the server for a time. */
export type Trouble = {
    readonly fromMs: number;
    readonly untilMs: number;
} & ({
    /** The server serves nothing, and loses the requests that it is working on. */
    readonly type: 'outage';
    /**
     * What clients see: refused connections, 503, or no answer at all.
     * @default 'refused'
     */
    readonly answer?: 'refused' | 'unavailable' | 'silence' | undefined;
} | {
    /** Only a share of the workers is left. */
    readonly type: 'brown-out';
    readonly capacityShare: number;
} | {
    /** Workers come back one by one: a share of them at the start, all of them at the end. */
    readonly type: 'slow-start';
    readonly capacityShare: number;
} | {
    /** A share of the answers is a 503. */
    readonly type: 'errors';
    readonly share: number;
});
/** A token bucket in front of the server: requests that do not conform get a 429. */
export interface ServerLimit {
    readonly refillPerSecond: number;
    readonly capacity: number;
    /** @default 0 */
    readonly refillIntervalMs?: number | undefined;
    /**
     * Whether the 429 has a Retry-After, in whole seconds.
     * @default true
     */
    readonly retryAfter?: boolean | undefined;
}
/** Workers that each serve one request at a time, and a queue before them. */
export interface ServerOptions {
    /** How many requests are served at once. Together with `serviceMs` this is the capacity. */
    readonly workers: number;
    /** The mean time to serve a request, in milliseconds. */
    readonly serviceMs: number;
    /**
     * The distribution of the time to serve. Log-normal: half of the times are below 0.6 of the mean, one in a hundred
     * is above six times the mean.
     * @default 'exponential'
     */
    readonly serviceSpread?: 'constant' | 'exponential' | 'log-normal' | undefined;
    /**
     * How many requests may wait for a worker. Any more get a 503.
     * @default no limit
     */
    readonly maxQueue?: number | undefined;
    readonly limit?: ServerLimit | undefined;
    readonly troubles?: readonly Trouble[] | undefined;
}
//# sourceMappingURL=server-options.d.ts.map