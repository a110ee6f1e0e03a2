import { type BackoffStrategy, type Classify, type MemoryBucket, type RetryBudget } from '@ebb/core';
import type { Environment } from './client-options.ts';
import type { FleetPolicy } from './fleet-policy.ts';
/** A budget that each client has for itself. */
export type OwnBudget = Extract<FleetPolicy['budget'], {
    retryBudget: object;
} | ((...given: never) => unknown)>;
/** Functions of @ebb/core that a scenario may name. Each validates its options. */
type Makers<T> = Readonly<Record<string, (given: never, environment: Environment) => T>>;
export declare const BACKOFFS: Makers<BackoffStrategy>;
export declare const CLASSIFIERS: Readonly<Record<string, Classify>>;
/** The backoff rule of a policy; `undefined` for the default of `createPolicy`. */
export declare function backoffOf({ backoff }: FleetPolicy, environment: Environment): BackoffStrategy | undefined;
/** The classifier of a policy; `undefined` for the default of `createPolicy`. */
export declare function classifyOf({ classify }: FleetPolicy): Classify | undefined;
/** A bucket for one client. */
export declare function makeBucket(bucket: NonNullable<FleetPolicy['bucket']>, environment: Environment): MemoryBucket;
/** A budget for one client. */
export declare function makeBudget(budget: OwnBudget, environment: Environment): RetryBudget;
export {};
//# sourceMappingURL=named-options.d.ts.map