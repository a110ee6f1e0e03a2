import { CLOCK_OPTION, type Complete, check, type OptionTable, readOptions } from '@ebb/core/bucket';
import type { FaultScenario, ServiceLimit, Stragglers } from './scenario.ts';

type Check = check.Check;

/** A number from 0 to 1. */
const share: Check = check.number('a number from 0 to 1', (value) => value >= 0 && value <= 1);

/** 0, 1, 2 … or no limit. */
const wholeOrInfinite: Check = (name, value) => {
  if (value !== Number.POSITIVE_INFINITY) check.wholeNumber(name, value);
};

const spread = check.oneOf('constant', 'exponential', 'log-normal', 'pareto');

/** An object with these fields, some of which may be left out. */
function fields(table: object): Check {
  return (name, value) => void readOptions(name, value as object, table as OptionTable<object>);
}

const required = (by: Check) => ({ check: by, required: true as const });
const optional = (by: Check) => ({ check: by });

const span = {
  fromMs: required(check.notNegative),
  untilMs: required(check.positive),
  shard: optional(check.wholeNumber),
};

const TROUBLES: Readonly<Record<string, object>> = {
  outage: { ...span, answer: optional(check.oneOf('refused', 'unavailable', 'silence')) },
  'brown-out': { ...span, capacityShare: required(share) },
  'slow-start': { ...span, capacityShare: required(share) },
  errors: { ...span, share: required(share) },
};

const checkTrouble: Check = (name, value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw check.wrongType(name, 'a trouble', value);
  }
  const { type, ...rest } = value as { type: string; fromMs: number; untilMs: number };
  check.oneOf(...Object.keys(TROUBLES))(check.nameOf(name, 'type'), type);
  fields(TROUBLES[type] as object)(name, rest);
  const { fromMs, untilMs } = rest;
  if (untilMs <= fromMs) {
    throw check.wrongRange(check.nameOf(name, 'untilMs'), `a number > fromMs, ${fromMs}`, untilMs);
  }
};

const checkTroubles: Check = (name, value) => {
  if (!Array.isArray(value)) throw check.wrongType(name, 'a list', value);
  for (const [at, trouble] of value.entries()) checkTrouble(`${name}[${at}]`, trouble);
};

const LIMIT: OptionTable<ServiceLimit> = {
  refillPerSecond: { check: check.refillRate, required: true },
  capacity: { check: check.capacity, required: true },
  refillIntervalMs: { check: check.notNegative, default: 0 },
  retryAfter: { check: check.flag, default: true },
};

const STRAGGLERS: OptionTable<Stragglers> = {
  share: { check: share, required: true },
  factor: { check: check.positive, required: true },
};

type Unset = 'stragglers' | 'retryAfterSeconds' | 'limit' | 'respond';

const SCENARIO: OptionTable<FaultScenario, Unset> = {
  workers: { check: check.countingNumber, required: true },
  serviceMs: { check: check.positive, required: true },
  serviceSpread: { check: spread, default: 'exponential' },
  stragglers: { check: fields(STRAGGLERS) },
  maxQueue: { check: wholeOrInfinite, default: Number.POSITIVE_INFINITY },
  queueFull: { check: check.oneOf('unavailable', 'too-many'), default: 'unavailable' },
  retryAfterSeconds: { check: check.wholeNumber },
  limit: { check: fields(LIMIT) },
  shards: { check: check.countingNumber, default: 1 },
  troubles: { check: checkTroubles, default: [] },
  respond: { check: check.callable },
  clock: CLOCK_OPTION,
};

/** A scenario with all defaults applied. */
export type FaultSetup = Complete<FaultScenario, Unset>;

/** @throws TypeError, RangeError for a wrong option */
export function readScenario(scenario: FaultScenario): FaultSetup {
  const setup = readOptions('faults', scenario, SCENARIO);
  for (const [at, trouble] of setup.troubles.entries()) {
    if ((trouble.shard ?? 0) < setup.shards) continue;
    throw check.wrongRange(
      `faults: troubles[${at}].shard`,
      `a number < shards, ${setup.shards}`,
      trouble.shard,
    );
  }
  return setup;
}
