import { apiGateway, appEngine, treatments } from './buckets/bucket-studies.ts';
import { adaptiveLimits } from './concurrency/concurrency-study.ts';
import { deadlines } from './deadlines/deadline-study.ts';
import { estimates } from './estimates/estimate-study.ts';
import { experimentStudy } from './experiment-study.ts';
import { backoffs } from './grid/backoffs.ts';
import { grid } from './grid/grid-study.ts';
import { outside } from './grid/outside.ts';
import { parts } from './grid/parts.ts';
import { hedges } from './hedges/hedge-study.ts';
import { comesBack } from './overload/comes-back.ts';
import { shard, silence, stormFleets } from './overload/fleet-studies.ts';
import { tail } from './overload/tail.ts';
import { articleStudy, otherRulesStudy } from './race/race-study.ts';
import { adaptiveRate } from './rates/rate-study.ts';
import { quietDay, quietStorm } from './storm/quiet-clients.ts';
import { reserves } from './storm/reserves.ts';
import { outage, quota } from './storm/service-experiments.ts';
import { storm, stormPolicies } from './storm/storm.ts';
import * as storms from './storm/storm-figures.ts';
import { priorities, processes, slots, tenants } from './strategies/queue-studies.ts';
import { fleetBudget, retryAfter, timeouts } from './strategies/services.ts';
import type { Study } from './study.ts';

const stormFigures = {
  storm: storms.stormFigure,
  'storm-schemes': storms.stormSchemesFigure,
  'storm-queue': storms.stormQueueFigure,
};

const BUSY = { clients: 50, requestsPerSecond: 2_000 };
const MILLION = { clients: 1_000_000, requestsPerSecond: 50_000 };

/** All studies, in the order of the list of ebb-sim. */
export const STUDIES: readonly Study[] = [
  articleStudy(),
  otherRulesStudy,
  appEngine,
  apiGateway,
  treatments,
  experimentStudy(
    'storm',
    '15 ways to retry while half the capacity is gone',
    storm(stormPolicies()),
    stormFigures,
    storms.STORM_REPEATED,
  ),
  experimentStudy(
    'storm-busy',
    'the storm with 50 busy clients instead of 10,000 quiet ones',
    storm(stormPolicies(BUSY), BUSY),
  ),
  experimentStudy(
    'storm-short-queue',
    'the storm with a queue shorter than clients wait',
    storm(stormPolicies(), { queueSeconds: 0.4 }),
  ),
  reserves,
  experimentStudy('storm-quiet', 'the storm with 100,000 clients of one request in 50 s', quietStorm),
  experimentStudy('quiet-day', 'the same clients while 2 % of the requests fail at random', quietDay),
  experimentStudy('quota', 'a service with a quota, 429 and Retry-After', quota),
  experimentStudy('outage', 'half a minute of outage, then a slow start', outage),
  retryAfter,
  timeouts,
  adaptiveRate,
  adaptiveLimits,
  estimates,
  fleetBudget,
  stormFleets,
  silence,
  shard,
  comesBack,
  deadlines,
  grid,
  parts,
  backoffs,
  outside,
  hedges,
  tail,
  slots,
  tenants,
  processes,
  priorities,
  experimentStudy(
    'million',
    'a million clients through the storm',
    storm({ '+ budget': stormPolicies(MILLION)['+ budget'] ?? {} }, MILLION),
  ),
];
