import {
  adaptive,
  type BackoffStrategy,
  binaryExponential,
  type Classify,
  celery,
  classifyHttp,
  classifyHttpByMeaning,
  connectRetry,
  constant,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  type MemoryBucket,
  memorystore,
  type RetryBudget,
  retryBudget,
  type ThrottleOptions,
  tokenBucket,
} from '@ebb/core';
import { readOptions } from '@ebb/core/adapter';
import { type Complete, THROTTLE_OPTIONS } from '@ebb/core/bucket';
import { HedgePlan } from '@ebb/hedge/internal';
import type { Environment } from './client-options.ts';
import type { FleetPolicy, NamedBucket, SimulatedHedges } from './fleet-policy.ts';

/** A bucket of one unit. */
export type OneUnitBucket = Exclude<NamedBucket, { quotaBucket: object }>;

/** A budget that each client has for itself. */
export type BudgetMethods = Extract<
  FleetPolicy['budget'],
  { retryBudget: object } | ((...given: never) => unknown)
>;

/** Functions of @ebb/core that a scenario may name. Each validates its options. */
type Makers<T> = Readonly<Record<string, (given: never, environment: Environment) => T>>;

export const BACKOFFS: Makers<BackoffStrategy> = {
  memorystore,
  exponential,
  fullJitter,
  equalJitter,
  decorrelatedJitter,
  constant,
  celery,
  binaryExponential,
  connectRetry,
};

const BUCKETS: Makers<MemoryBucket> = {
  tokenBucket: (given: Parameters<typeof tokenBucket>[0], environment) =>
    tokenBucket({ ...given, ...environment }),
  adaptive: (given: Parameters<typeof adaptive>[0], environment) => adaptive({ ...given, ...environment }),
};

const BUDGETS: Makers<RetryBudget> = {
  retryBudget: (given: Parameters<typeof retryBudget>[0], environment) =>
    retryBudget({ ...given, ...environment }),
};

export const CLASSIFIERS: Readonly<Record<string, Classify>> = { classifyHttp, classifyHttpByMeaning };

/** Calls the function that `{ name: options }` names. The scenario has been checked before. */
function make<T>(makers: Makers<T>, named: object, environment: Environment): T {
  const [name = '', given] = Object.entries(named)[0] ?? [];
  const maker = makers[name];
  if (maker === undefined) throw new TypeError(`${name} must be one of ${Object.keys(makers).join(', ')}`);
  return maker(given as never, environment);
}

/** The backoff rule of a policy; `undefined` for the default of `createPolicy`. */
export function backoffOf({ backoff }: FleetPolicy, environment: Environment): BackoffStrategy | undefined {
  return typeof backoff === 'object' ? make(BACKOFFS, backoff, environment) : backoff;
}

/** The classifier of a policy; `undefined` for the default of `createPolicy`. */
export function classifyOf({ classify }: FleetPolicy): Classify | undefined {
  return typeof classify === 'string' ? CLASSIFIERS[classify] : classify;
}

/** A bucket for one client. */
export function makeBucket(bucket: OneUnitBucket, environment: Environment): MemoryBucket {
  return make(BUCKETS, bucket, environment);
}

/** A budget for one client. */
export function makeBudget(budget: BudgetMethods, environment: Environment): RetryBudget {
  return typeof budget === 'function' ? budget(environment) : make(BUDGETS, budget, environment);
}

/** The options of core's throttle with their defaults. */
export function throttleOf(options: ThrottleOptions): Complete<ThrottleOptions> {
  return readOptions('throttle', options, THROTTLE_OPTIONS);
}

/** The numbers of core's hedges: all options with their defaults. */
export function hedgesOf(options: SimulatedHedges): HedgePlan['setup'] {
  return new HedgePlan('hedges', { ...options, policy: {} }).setup;
}
