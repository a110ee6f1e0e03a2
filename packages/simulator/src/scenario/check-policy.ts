import { adaptive, createPolicy, type PolicyOptions, retryBudget, tokenBucket } from '@ebb/core';
import { check } from '@ebb/core/bucket';
import { type Check, joined, ScenarioError, wrong } from './check.ts';
import type { FleetPolicy, SharedBudgetOptions } from './fleet-policy.ts';
import { BACKOFFS, CLASSIFIERS } from './named-options.ts';

/** What `createPolicy` takes beside what it takes as it is. */
const NAMED = ['backoff', 'classify', 'bucket', 'budget'] as const;
const PLAIN = [
  'maxRetries',
  'methods',
  'maxRetryAfterMs',
  'attemptTimeoutMs',
  'totalTimeoutMs',
  'maxWaitMs',
  'cost',
] as const;
/** Options that `createPolicy` takes and a simulation has no place for. */
const NOT_SIMULATED = ['concurrency', 'priority', 'key', 'onEvent', 'clock', 'random'];

/** Calls a function of core with what a field was given, and tells of its error by the path of the field. */
function under(path: string, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (!check.isOptionError(error)) throw error;
    const { option, takes, given, unknown } = error;
    if (unknown) throw new ScenarioError(`${joined(path, option)} is not a field; ${path} takes ${takes}`);
    throw wrong(option.split('.').reduce(joined, path), takes, given);
  }
}

/** A field that names one function of a few, with what that takes: `{ "fullJitter": { … } }`. */
function naming(makers: Readonly<Record<string, (given: never) => unknown>>): Check {
  const takes = `an object that names one of ${Object.keys(makers).join(', ')}`;
  return (path, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, takes, value);
    const entries = Object.entries(value);
    const [name = '', given] = entries[0] ?? [];
    const maker = Object.hasOwn(makers, name) ? makers[name] : undefined;
    if (entries.length !== 1 || maker === undefined) {
      const names = entries.map(([key]) => JSON.stringify(key)).join(', ');
      throw new ScenarioError(`${path} takes ${takes}, and was given ${names || 'an empty object'}`);
    }
    // `constant` takes a number, which has no name.
    if (typeof given === 'object') under(joined(path, name), () => maker(given as never));
    else constantUnder(joined(path, name), () => maker(given as never));
  };
}

function constantUnder(path: string, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    throw check.isOptionError(error) ? wrong(path, error.takes, error.given) : error;
  }
}

const checkBackoff = naming(BACKOFFS as Readonly<Record<string, (given: never) => unknown>>);
const checkBucket = naming({ tokenBucket, adaptive });
/** What is in the store is core's budget; the rest is the simulation's own. */
const valkeyBudget = ({ aheadMs = 100, roundTripMs = 2, ...budget }: SharedBudgetOptions): void => {
  retryBudget(budget);
  check.positive('valkeyBudget: aheadMs', aheadMs);
  check.notNegative('valkeyBudget: roundTripMs', roundTripMs);
};

const checkBudget = naming({ retryBudget, valkeyBudget });

function bucketCapacity({ bucket }: FleetPolicy): number {
  if (bucket === undefined) return Number.POSITIVE_INFINITY;
  const options = 'adaptive' in bucket ? bucket.adaptive : bucket.tokenBucket;
  return tokenBucket({ refillPerSecond: options.refillPerSecond, capacity: options.capacity }).stats()
    .capacity;
}

function checkBucketOptions(path: string, { bucket, cost = 1, ...rest }: FleetPolicy): void {
  if (bucket === undefined) return;
  const [[name = '', options = {}] = []] = Object.entries(bucket as Record<string, object>);
  for (const field of ['furtherLimits', 'overflow', 'clock', 'random']) {
    if ((options as Record<string, unknown>)[field] === undefined) continue;
    throw new ScenarioError(`${path}.bucket.${name}.${field} is not simulated`);
  }
  const capacity = bucketCapacity({ bucket, ...rest });
  if (cost > capacity) throw wrong(`${path}.cost`, `at most the capacity of the bucket, ${capacity}`, cost);
}

/** @throws ScenarioError for a policy that no client could have */
export const checkPolicy: Check = (path, value) => {
  if (typeof value === 'function') return;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(path, 'an object of the options of createPolicy', value);
  }
  const policy = value as FleetPolicy;
  for (const name of Object.keys(policy)) {
    if (NOT_SIMULATED.includes(name)) throw new ScenarioError(`${joined(path, name)} is not simulated`);
    if ([...PLAIN, ...NAMED].includes(name as (typeof PLAIN)[number])) continue;
    const takes = [...PLAIN, ...NAMED].join(', ');
    throw new ScenarioError(`${joined(path, name)} is not a field; ${path} takes ${takes}`);
  }
  const plain = Object.fromEntries(PLAIN.map((name) => [name, policy[name]]));
  const backoff = typeof policy.backoff === 'function' ? policy.backoff : undefined;
  under(path, () => createPolicy({ ...plain, backoff } as PolicyOptions));
  if (typeof policy.cost === 'function') throw wrong(`${path}.cost`, 'a number', policy.cost);
  if (policy.backoff !== undefined && typeof policy.backoff !== 'function') {
    checkBackoff(`${path}.backoff`, policy.backoff);
  }
  if (typeof policy.classify !== 'function' && policy.classify !== undefined) {
    if (!Object.hasOwn(CLASSIFIERS, policy.classify)) {
      throw wrong(`${path}.classify`, Object.keys(CLASSIFIERS).join(' or '), policy.classify);
    }
  }
  if (policy.bucket !== undefined) checkBucket(`${path}.bucket`, policy.bucket);
  if (policy.budget !== undefined && policy.budget !== false && typeof policy.budget !== 'function') {
    checkBudget(`${path}.budget`, policy.budget);
  }
  checkBucketOptions(path, policy);
};
