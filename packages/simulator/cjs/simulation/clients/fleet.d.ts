import { type Policy } from '@ebb/core';
import type { CustomClient, Environment } from '../../scenario/client-options.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type ClientBuckets } from './client-buckets.ts';
/** What the simulation needs to know of the clients of a fleet. */
export interface Fleet {
    policyOf(client: number): Policy;
    readonly buckets: ClientBuckets | undefined;
    readonly cost: number;
    readonly maxWaitMs: number;
    /** Called when a request of a client begins and when it ends, if the clients share a budget. */
    readonly shared?: {
        begin(client: number): void;
        end(client: number): void;
    } | undefined;
    /** The clients, if their retry scheme is more than a policy can express. */
    readonly custom: readonly CustomClient[] | undefined;
}
/** The clients of a scenario. They share one policy unless each has its own budget. */
export declare function fleetOf(scenario: Scenario, environment: Environment): Fleet;
//# sourceMappingURL=fleet.d.ts.map