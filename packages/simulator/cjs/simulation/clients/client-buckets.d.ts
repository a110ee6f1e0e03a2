import type { Outcome } from '@ebb/core';
import { type NonConforming } from '@ebb/core/bucket';
import type { Environment } from '../../scenario/client-options.ts';
import type { NamedBucket } from '../../scenario/fleet-policy.ts';
/** The tokens of all clients of a fleet. */
export interface ClientTokens {
    take(client: number, cost: number, nowMs: number): boolean;
    /** How long until so many tokens have come in, in milliseconds; 0 if they can be taken now. */
    waitMs(client: number, cost: number, nowMs: number): number;
    /** Passes on the outcome of an attempt whose tokens were granted at a time, after a wait. */
    observe(client: number, outcome: Outcome, grantedAtMs: number, waitedMs: number): void;
}
/** The rules of a client's line of requests that wait for tokens. */
export interface LineRules {
    readonly nonConforming: NonConforming;
    readonly maxQueue: number;
    readonly maxWaitMs: number;
    /** A new request comes before a retry if it has waited for longer than the retry by this. */
    readonly headStartMs: number;
}
/** The buckets of a fleet, and the rules of the lines before them. */
export interface ClientBuckets {
    readonly rules: LineRules;
    readonly tokens: ClientTokens;
}
/** Makes a bucket for each client. */
export declare function clientBuckets(bucket: NamedBucket, clients: number, environment: Environment): ClientBuckets;
//# sourceMappingURL=client-buckets.d.ts.map