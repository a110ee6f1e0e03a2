import {
  type Clock,
  createPolicy,
  type PerKey,
  type Policy,
  type PolicyOptions,
  type RetryBudget,
} from '@ebb/core';
import { type FleetBucket, fleetBucket } from './fleet-tokens.ts';
import { backoffOf, classifyOf, makeBudget } from './named.ts';
import type { ClientFactory, CustomClient, Environment, FleetPolicy, Scenario } from './scenario.ts';

/** A fleet's clients, by what the simulation asks of them. */
export interface Fleet {
  policyOf(client: number): Policy;
  /** The bucket that each client has. */
  readonly bucket: FleetBucket | undefined;
  readonly cost: number;
  readonly maxWaitMs: number;
  /** The clients whose scheme says more than a policy can. */
  readonly custom: readonly CustomClient[] | undefined;
}

/** A clock that the simulation sets. Nobody waits on it: all that waits is an event. */
export class SimulationClock implements Clock {
  nowMs = 0;

  now(): number {
    return this.nowMs;
  }

  schedule(): never {
    throw new Error('In a simulation nothing waits on a clock: a budget or a rule may read the time only.');
  }
}

/** The clients of a scenario. They share one policy where none keeps a budget of its own. */
export function fleetOf(scenario: Scenario, environment: Environment): Fleet {
  const { clients, policy = {} } = scenario;
  const { count } = clients;
  if (typeof policy === 'function') return customFleet(count, policy, environment);

  const { budget, bucket, cost = 1, maxWaitMs = Number.POSITIVE_INFINITY } = policy;
  const { maxRetries, methods, maxRetryAfterMs, attemptTimeoutMs, totalTimeoutMs } = policy;
  const options = {
    ...{ maxRetries, methods, maxRetryAfterMs, attemptTimeoutMs, totalTimeoutMs, cost },
    ...environment,
    backoff: backoffOf(policy, environment),
    classify: classifyOf(policy),
  };
  return {
    policyOf: policiesOf(count, options, budget, environment),
    bucket: bucket && fleetBucket(bucket, count, environment),
    cost,
    maxWaitMs,
    custom: undefined,
  };
}

const NO_BUDGET: RetryBudget = { balance: Number.POSITIVE_INFINITY, deposit() {}, withdraw: () => true };

/**
 * One policy for all. Where clients have budgets of their own it asks for the one of the client whose policy was
 * asked for last: a million policies that differ in nothing else would take a gigabyte.
 */
function policiesOf(
  count: number,
  options: PolicyOptions,
  budget: FleetPolicy['budget'],
  environment: Environment,
): (client: number) => Policy {
  if (budget === false) {
    const unlimited = createPolicy({ ...options, budget: NO_BUDGET });
    return () => unlimited;
  }
  if (budget === undefined) {
    const shared = createPolicy(options);
    if (shared.budget === undefined) return () => shared;
    const own = Array.from({ length: count }, () => createPolicy(options));
    return (client) => own[client] as Policy;
  }
  let current = 0;
  const budgets = new Array<RetryBudget | undefined>(count);
  const ofCurrent: PerKey<RetryBudget> = {
    size: count,
    for() {
      budgets[current] ??= makeBudget(budget, environment);
      return budgets[current] as RetryBudget;
    },
  };
  const shared = createPolicy({ ...options, budget: ofCurrent });
  return (client) => {
    current = client;
    return shared;
  };
}

function customFleet(count: number, factory: ClientFactory, environment: Environment): Fleet {
  const custom = Array.from({ length: count }, () => factory(environment));
  const policies = custom.map(({ policy }) => createPolicy({ ...policy, ...environment }));
  return {
    policyOf: (client) => policies[client] as Policy,
    bucket: undefined,
    cost: 1,
    maxWaitMs: Number.POSITIVE_INFINITY,
    custom,
  };
}
