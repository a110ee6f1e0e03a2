import type { NonConforming } from '@ebb/core/bucket';
/** Requests that pass through one token bucket. */
export interface BucketTraffic {
    readonly capacity: number;
    readonly refillPerSecond: number;
    /** @default 0 */
    readonly refillIntervalMs?: number;
    /**
     * What happens to a request if the bucket has no token for it.
     * @default 'delay'
     */
    readonly nonConforming?: NonConforming;
    /** The arrival times of the requests, in milliseconds, in order. The bucket is full at 0. */
    readonly arrivalsMs: readonly number[];
}
/** What happened to one request. */
export interface Passage {
    readonly arrivedAtMs: number;
    /** When the request was sent; `undefined` if it was rejected. */
    readonly sentAtMs: number | undefined;
    /** Whether the bucket had a token when the request arrived. */
    readonly conforming: boolean;
}
/** Passes requests through a token bucket one by one, first come, first served. */
export declare function passThrough(traffic: BucketTraffic): Passage[];
//# sourceMappingURL=pass-through.d.ts.map