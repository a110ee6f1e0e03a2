import { createPolicy, type PerKey, type Policy, type PolicyOptions, type RetryBudget } from '@ebb/core';
import { budgetLimit } from '@ebb/core/bucket';
import { ScenarioError } from '../../scenario/check.ts';
import type { ClientFactory, CustomClient, Environment } from '../../scenario/client-options.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import {
  type BudgetMethods,
  backoffOf,
  classifyOf,
  hedgesOf,
  makeBudget,
  throttleOf,
} from '../../scenario/named-options.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type ClientBuckets, clientBuckets } from './client-buckets.ts';
import { FleetBudget } from './fleet-budget.ts';
import { Hedges } from './hedges.ts';
import { Throttles } from './throttles.ts';

/** The policies, buckets and limits of the clients of a fleet. */
export interface Fleet {
  policyOf(client: number): Policy;
  readonly buckets: ClientBuckets | undefined;
  readonly maxWaitMs: number;
  readonly throttles?: Throttles | undefined;
  readonly hedges?: Hedges | undefined;
  /** Called when a request of a client begins and when it ends, if the clients share a budget. */
  readonly shared?: { begin(client: number): void; end(client: number): void } | undefined;
  /** The clients, if their retry scheme is more than a policy can express. */
  readonly custom: readonly CustomClient[] | undefined;
}

/** The clients of a scenario. They share one policy unless each has its own budget. */
export function fleetOf(scenario: Scenario, environment: Environment): Fleet {
  const { clients, policy = {} } = scenario;
  const { count } = clients;
  if (typeof policy === 'function') return customFleet(count, policy, environment);

  const { budget, bucket, cost = 1, actualCost = false, maxWaitMs = Number.POSITIVE_INFINITY } = policy;
  const { maxRetries, methods, retryAfter, attemptTimeoutMs, totalTimeoutMs } = policy;
  const options = {
    ...{ maxRetries, methods, retryAfter, attemptTimeoutMs, totalTimeoutMs },
    ...environment,
    backoff: backoffOf(policy, environment),
    classify: classifyOf(policy),
  };
  const { throttle, hedges } = policy;
  const hasBudget = budget !== undefined && budget !== false;
  const shared = sharedBudget(count, budget, environment);
  return {
    policyOf: policiesOf(count, options, budget, shared, environment),
    shared,
    buckets: bucket && clientBuckets(bucket, count, { cost, actualCost }, environment),
    maxWaitMs,
    throttles: throttle && new Throttles(count, pathsOf(scenario), throttleOf(throttle), hasBudget),
    hedges: hedges && new Hedges(count, hedgesOf(hedges)),
    custom: undefined,
  };
}

/** How many paths requests go to. */
function pathsOf({ clients, server }: Scenario): number {
  const { paths = 1 } = 'thinkMs' in clients ? {} : clients;
  return paths === 'shards' ? (server.shards ?? 1) : paths;
}

const unlimited = { balance: Number.POSITIVE_INFINITY, deposit() {}, withdraw: () => true };
const NO_BUDGET: RetryBudget = { ...unlimited, limit: budgetLimit(unlimited) };

/**
 * Makes a single policy for all clients, because a million policies would take a gigabyte. If clients have their own
 * budgets, the policy uses the budget of the client for which the policy was returned last.
 */
function policiesOf(
  count: number,
  options: PolicyOptions,
  budget: FleetPolicy['budget'],
  shared: SharedBudget | undefined,
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
  const budgetOf = shared?.of ?? ownBudgets(count, budget as BudgetMethods, environment);
  // The simulation asks for the budget itself, and has no calls that a limit could be asked by.
  const ofCurrent = {
    size: count,
    for: () => budgetOf(current),
    limit: NO_BUDGET.limit,
  } as object as PerKey<RetryBudget>;
  const policy = createPolicy({ ...options, budget: ofCurrent });
  return (client) => {
    current = client;
    return policy;
  };
}

function ownBudgets(
  count: number,
  budget: BudgetMethods,
  environment: Environment,
): (client: number) => RetryBudget {
  const budgets = new Array<RetryBudget | undefined>(count);
  return (client) => {
    budgets[client] ??= makeBudget(budget, environment);
    return budgets[client] as RetryBudget;
  };
}

/** The parts of a shared budget that each client holds. */
interface SharedBudget {
  of(client: number): ReturnType<FleetBudget['of']>;
  begin(client: number): void;
  end(client: number): void;
}

function sharedBudget(
  count: number,
  budget: FleetPolicy['budget'],
  environment: Environment,
): SharedBudget | undefined {
  if (typeof budget !== 'object' || !('valkeyBudget' in budget)) return undefined;
  const fleet = new FleetBudget(budget.valkeyBudget, count, environment);
  const parts = new Array<ReturnType<FleetBudget['of']> | undefined>(count);
  const of = (client: number): ReturnType<FleetBudget['of']> => {
    parts[client] ??= fleet.of(client);
    return parts[client] as ReturnType<FleetBudget['of']>;
  };
  return { of, begin: (client) => of(client).begin(), end: (client) => of(client).end() };
}

function customFleet(count: number, factory: ClientFactory, environment: Environment): Fleet {
  const custom = Array.from({ length: count }, () => factory(environment));
  if (custom.some(({ policy }) => policy.throttle !== undefined)) {
    throw new ScenarioError('policy.throttle is simulated in a policy of options, not in a function');
  }
  const policies = custom.map(({ policy }) => createPolicy({ ...policy, ...environment }));
  return {
    policyOf: (client) => policies[client] as Policy,
    buckets: undefined,
    maxWaitMs: Number.POSITIVE_INFINITY,
    custom,
  };
}
