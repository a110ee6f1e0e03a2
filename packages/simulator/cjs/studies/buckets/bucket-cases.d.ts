import type { NonConforming } from '@ebb/core/bucket';
import { type Passage } from './pass-through.ts';
/** A way for requests to arrive at API Gateway. */
export interface GatewayCase {
    readonly story: string;
    readonly arrivalsMs: readonly number[];
}
/**
 * The five ways for 10,000 requests to arrive within a second that API Gateway's documentation explains.
 *
 * Source: Amazon API Gateway, Developer Guide, "Throttle API requests for better throughput".
 */
export declare const GATEWAY_CASES: readonly GatewayCase[];
/** How many requests of a case API Gateway serves, and how many it throttles. */
export declare function gatewayServes({ arrivalsMs }: GatewayCase): {
    served: number;
    throttled: number;
};
/**
 * When App Engine starts the tasks of a queue with a long backlog and a rate of 500/s. Its bucket gets tokens five times
 * per second.
 *
 * Source: Google App Engine, queue.yaml reference, `bucket_size`.
 */
export declare function taskStarts(bucketSize: number, durationMs: number): number[];
/** A burst of 200 requests in one second, then 50 per second for two, with a bucket of 20 at 100 per second. */
export declare function burstUnder(nonConforming: NonConforming): Passage[];
//# sourceMappingURL=bucket-cases.d.ts.map