import { prose, proseOf } from '#prose';
import {
  type Check,
  callable,
  capacity,
  countingNumber,
  flag,
  nameOf,
  notNegative,
  number,
  oneOf,
  positive,
  refillRate,
  wholeNumber,
  wrongRange,
} from '../base/check.ts';
import { must, mustHaveFields } from '../base/option-error.ts';
import { CLOCK_OPTION, type Complete, type OptionTable, readOptions } from '../base/options.ts';
import type { FaultScenario, ServiceLimit, Stragglers } from './scenario.ts';

/** A number from 0 to 1. */
const share: Check = number(prose('a number from 0 to 1'), (value) => value >= 0 && value <= 1);

/** 0, 1, 2 … or no limit. */
const wholeOrInfinite: Check = (name, value) => {
  if (value !== Number.POSITIVE_INFINITY) wholeNumber(name, value);
};

const spread = oneOf('constant', 'exponential', 'log-normal');

/** An object with these fields, some of which may be left out. */
function fields(table: object): Check {
  return (name, value) => void readOptions(name, value as object, table as OptionTable<object>);
}

const required = (check: Check) => ({ check, required: true as const });
const optional = (check: Check) => ({ check });

const span = {
  fromMs: required(notNegative),
  untilMs: required(positive),
  shard: optional(wholeNumber),
};

const TROUBLES: Readonly<Record<string, object>> = {
  outage: { ...span, answer: optional(oneOf('refused', 'unavailable', 'silence')) },
  'brown-out': { ...span, capacityShare: required(share) },
  'slow-start': { ...span, capacityShare: required(share) },
  errors: { ...span, share: required(share) },
};

const checkTrouble: Check = (name, value) => {
  mustHaveFields(name, prose('a trouble'), value);
  const { type, ...rest } = value as { type: string; fromMs: number; untilMs: number };
  oneOf(...Object.keys(TROUBLES))(nameOf(name, 'type'), type);
  fields(TROUBLES[type] as object)(name, rest);
  const { fromMs, untilMs } = rest;
  if (untilMs <= fromMs)
    throw wrongRange(
      nameOf(name, 'untilMs'),
      proseOf(() => `a number > fromMs, ${fromMs}`),
      untilMs,
    );
};

const checkTroubles: Check = (name, value) => {
  must(name, prose('a list'), value, Array.isArray(value));
  for (const [at, trouble] of (value as unknown[]).entries()) checkTrouble(`${name}[${at}]`, trouble);
};

const LIMIT: OptionTable<ServiceLimit> = {
  refillPerSecond: { check: refillRate, required: true },
  capacity: { check: capacity, required: true },
  refillIntervalMs: { check: notNegative, default: 0 },
  retryAfter: { check: flag, default: true },
};

const STRAGGLERS: OptionTable<Stragglers> = {
  share: { check: share, required: true },
  factor: { check: positive, required: true },
};

type Unset = 'stragglers' | 'retryAfterSeconds' | 'limit' | 'respond';

const SCENARIO: OptionTable<FaultScenario, Unset> = {
  workers: { check: countingNumber, required: true },
  serviceMs: { check: positive, required: true },
  serviceSpread: { check: spread, default: 'exponential' },
  stragglers: { check: fields(STRAGGLERS) },
  maxQueue: { check: wholeOrInfinite, default: Number.POSITIVE_INFINITY },
  queueFull: { check: oneOf('unavailable', 'too-many'), default: 'unavailable' },
  retryAfterSeconds: { check: wholeNumber },
  limit: { check: fields(LIMIT) },
  shards: { check: countingNumber, default: 1 },
  troubles: { check: checkTroubles, default: [] },
  respond: { check: callable },
  clock: CLOCK_OPTION,
};

/** A scenario with all defaults applied. */
export type FaultSetup = Complete<FaultScenario, Unset>;

/** @throws TypeError, RangeError for a wrong option */
export function readScenario(scenario: FaultScenario): FaultSetup {
  const setup = readOptions('faults', scenario, SCENARIO);
  for (const [at, trouble] of setup.troubles.entries()) {
    if ((trouble.shard ?? 0) < setup.shards) continue;
    throw wrongRange(
      `faults: troubles[${at}].shard`,
      proseOf(() => `a number < shards, ${setup.shards}`),
      trouble.shard,
    );
  }
  return setup;
}
