import {
  adaptive,
  createPolicy,
  adaptiveThrottle as makeThrottle,
  type PolicyOptions,
  quotaBucket,
  retryBudget,
  type TokenBucketOptions,
  tokenBucket,
} from '@ebb/core';
import { check } from '@ebb/core/bucket';
import {
  type Check,
  checkAt,
  checkOptionsAt,
  flag,
  isObject,
  joinPath,
  ScenarioError,
  wrong,
} from './check.ts';
import type { FleetPolicy, SharedBudgetOptions } from './fleet-policy.ts';
import { BACKOFFS, CLASSIFIERS, hedgesOf } from './named-options.ts';

/** Options of `createPolicy` that a scenario gives by name. */
const NAMED = ['backoff', 'classify', 'bucket', 'budget', 'throttle', 'hedges'];
/** Options of `createPolicy` that a scenario gives as they are. */
const PLAIN = [
  'maxRetries',
  'methods',
  'retryAfter',
  'attemptTimeoutMs',
  'totalTimeoutMs',
  'maxWaitMs',
  'cost',
];
const FIELDS = [...PLAIN, 'actualCost', ...NAMED];
const NOT_SIMULATED = ['concurrency', 'priority', 'key', 'onEvent', 'clock', 'random'];
const NOT_SIMULATED_OF_BUCKETS = ['queue', 'clock', 'random'];

type Makers = Readonly<Record<string, (options: never) => unknown>>;

/** An object with the name of one function and its options: `{ "fullJitter": { … } }`. */
function checkName(makers: Makers): Check {
  const takes = `an object that names one of ${Object.keys(makers).join(', ')}`;
  return (path, value) => {
    if (!isObject(value)) throw wrong(path, takes, value);
    const names = Object.keys(value);
    const [name = ''] = names;
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
    if (names.length !== 1 || make === undefined) {
      const given = names.map((each) => JSON.stringify(each)).join(', ') || 'an empty object';
      throw new ScenarioError(`${path} must be ${takes}, got ${given}`);
    }
    const options = value[name];
    // `constant` takes a number instead of options.
    const checkMade = typeof options === 'object' ? checkOptionsAt : checkAt;
    checkMade(joinPath(path, name), () => make(options as never));
  };
}

/** The store's part is a budget of core. The other two options are of the simulation. */
function valkeyBudget({ aheadMs = 100, roundTripMs = 2, ...budget }: SharedBudgetOptions): void {
  retryBudget(budget);
  check.positive('aheadMs', aheadMs);
  check.notNegative('roundTripMs', roundTripMs);
}

const checkBackoff = checkName(BACKOFFS as Makers);
const checkBucket = checkName({ tokenBucket, adaptive, quotaBucket });
const checkBudget = checkName({ retryBudget, valkeyBudget });

/** Checks that the cost of a request is a number, and at most the capacity of a bucket of one unit. */
function checkOneUnit(path: string, options: TokenBucketOptions, cost: FleetPolicy['cost']): void {
  const { refillPerSecond, capacity } = options;
  const most = tokenBucket({ refillPerSecond, capacity }).stats().capacity;
  if (typeof cost !== 'number') throw wrong(`${path}.cost`, 'a number', cost);
  if (cost > most) throw wrong(`${path}.cost`, `at most the capacity of the bucket, ${most}`, cost);
}

function checkSimulated(path: string, { bucket, cost = 1, actualCost = false }: FleetPolicy): void {
  const isQuota = bucket !== undefined && 'quotaBucket' in bucket;
  flag(`${path}.actualCost`, actualCost);
  if (actualCost && !isQuota)
    throw new ScenarioError(`${path}.actualCost is simulated with a quotaBucket only`);
  if (bucket === undefined) {
    if (typeof cost !== 'number') throw wrong(`${path}.cost`, 'a number', cost);
    return;
  }
  const [[name = '', options] = []] = Object.entries(bucket) as [string, TokenBucketOptions][];
  for (const field of NOT_SIMULATED_OF_BUCKETS) {
    if ((options as unknown as Record<string, unknown>)[field] === undefined) continue;
    throw new ScenarioError(`${path}.bucket.${name}.${field} is not simulated`);
  }
  if (isQuota) checkOptionsAt(path, () => quotaBucket(bucket.quotaBucket).tryAcquire(cost));
  else checkOneUnit(path, options as TokenBucketOptions, cost);
}

const checkThrottle: Check = (path, value) => {
  if (!isObject(value)) throw wrong(path, 'an object with options of throttle', value);
  checkOptionsAt(path, () => makeThrottle(value));
  if (value.classOf !== undefined) throw new ScenarioError(`${path}.classOf is not simulated`);
};

/** Options of `hedged` that are about requests: here all are alike. */
const NOT_SIMULATED_OF_HEDGES = ['policy', 'methods', 'keyOf', 'to'];

function checkHedges(path: string, hedges: unknown, bucket: FleetPolicy['bucket']): void {
  const at = `${path}.hedges`;
  if (!isObject(hedges)) throw wrong(at, 'an object with options of hedged', hedges);
  const unusable = NOT_SIMULATED_OF_HEDGES.find((name) => name in hedges);
  if (unusable !== undefined) throw new ScenarioError(`${at}.${unusable} is not simulated`);
  checkOptionsAt(at, () => hedgesOf(hedges));
  if (bucket !== undefined) throw new ScenarioError(`${at} is not simulated together with a bucket`);
}

/** @throws ScenarioError for a policy that cannot be simulated */
export const checkPolicy: Check = (path, value) => {
  if (typeof value === 'function') return;
  if (!isObject(value)) throw wrong(path, 'an object with options of createPolicy', value);
  for (const name of Object.keys(value)) {
    if (NOT_SIMULATED.includes(name)) throw new ScenarioError(`${joinPath(path, name)} is not simulated`);
    if (FIELDS.includes(name)) continue;
    throw new ScenarioError(`${joinPath(path, name)} is not a field; ${path} takes ${FIELDS.join(', ')}`);
  }
  const {
    backoff,
    classify,
    bucket,
    budget,
    throttle,
    hedges,
    actualCost: _,
    ...plain
  } = value as FleetPolicy;
  const ownBackoff = typeof backoff === 'function' ? backoff : undefined;
  checkOptionsAt(path, () => createPolicy({ ...plain, backoff: ownBackoff } as PolicyOptions));
  if (typeof plain.cost === 'function')
    throw wrong(`${path}.cost`, 'a number, or one for each unit', plain.cost);
  if (backoff !== undefined && ownBackoff === undefined) checkBackoff(`${path}.backoff`, backoff);
  if (classify !== undefined && typeof classify !== 'function' && !Object.hasOwn(CLASSIFIERS, classify)) {
    throw wrong(`${path}.classify`, Object.keys(CLASSIFIERS).join(' or '), classify);
  }
  if (bucket !== undefined) checkBucket(`${path}.bucket`, bucket);
  if (budget !== undefined && budget !== false && typeof budget !== 'function') {
    checkBudget(`${path}.budget`, budget);
  }
  if (throttle !== undefined) checkThrottle(`${path}.throttle`, throttle);
  if (hedges !== undefined) checkHedges(path, hedges, bucket);
  checkSimulated(path, value as FleetPolicy);
};
