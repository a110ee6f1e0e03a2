import { finding } from '../../chart/frame.ts';
import { duration } from '../../chart/scale.ts';
import type { ShardTrace, Trace } from '../../measure/trace.ts';
import type { ClientFactory } from '../../scenario/client-options.ts';
import { storm } from '../storm/storm.ts';
import type { Study } from '../study.ts';
import { type FleetResult, firstOf, fleetStudy } from './fleet-study.ts';
import { answeredPercent, percentText } from './percent.ts';

const REQUESTS_PER_SECOND = 2_000;
const { clients: _, policies: __, ...setting } = storm(undefined, { requestsPerSecond: REQUESTS_PER_SECOND });
const MINUTE_MS = 60_000;

const percent = (value: number | undefined): string => percentText(value ?? 0);
const seconds = (ms: number | undefined): string => (ms === undefined ? 'not yet' : duration(ms));
const sends = {
  name: 'sends',
  value: ({ amplification }: Trace) => amplification,
  text: (value = 0) => value.toFixed(2),
};

/** A number of a policy for the busy fleet and for the quiet one, as texts. */
function bothOf(results: readonly FleetResult[], name: string): string {
  return [50, 10_000].map((clients) => firstOf(results, name, clients).toFixed(0)).join(' and ');
}

const STORM_ENDS_MS = 70_000;

export const stormFleets: Study = fleetStudy({
  name: 'storm-fleets',
  shows: 'the storm from busy and quiet clients, with throttles',
  scenario: setting,
  requestsPerSecond: REQUESTS_PER_SECOND,
  colour: 'blue',
  columns: [
    { name: 'answered', value: (trace) => answeredPercent(trace), text: percent },
    {
      name: 'minute after',
      value: (trace) => answeredPercent(trace, STORM_ENDS_MS, STORM_ENDS_MS + MINUTE_MS),
      text: percent,
    },
    { name: 'back in', value: ({ recovery }) => recovery?.recoveredAfterMs, text: seconds },
    sends,
    { name: 'p99', value: ({ latencyMs }) => latencyMs.p99, text: seconds },
  ],
  legend: [
    'answered, minute after: answers for each 100 new requests of the time',
    'back in: until answers keep up with requests for good · sends: attempts for each request',
  ].join('\n'),
  heading: (results) => ({
    title: finding(
      [50, 10_000, 40_000].every((clients) => {
        const [own, budget] = ['adaptiveThrottle()', 'retryBudget()'].map((name) =>
          firstOf(results, name, clients),
        );
        return (own ?? 0) > 1.3 * (budget ?? 0);
      }),
      `In a storm throttles answer ${bothOf(results, 'adaptiveThrottle()')}\u00a0% (busy and quiet clients), budgets ${bothOf(results, 'retryBudget()')}\u00a0%`,
      'Requests answered in a storm and the minute after it',
    ),
    note: 'Answered of all requests. A service at 90\u00a0% of its capacity loses half of it for a minute. Its queue holds two seconds of work; clients wait one second. 2,000 requests per second.',
  }),
});

const SILENCE_ENDS_MS = 15_000;

export const silence: Study = fleetStudy({
  name: 'silence',
  shows: 'an outage of 5 s, and the minute after it',
  scenario: {
    ...setting,
    durationMs: SILENCE_ENDS_MS + MINUTE_MS,
    server: {
      ...setting.server,
      troubles: [{ type: 'outage', answer: 'silence', fromMs: 10_000, untilMs: SILENCE_ENDS_MS }],
    },
  },
  requestsPerSecond: REQUESTS_PER_SECOND,
  colour: 'green',
  columns: [
    { name: 'minute after', value: (trace) => answeredPercent(trace, SILENCE_ENDS_MS), text: percent },
    { name: 'back in', value: ({ recovery }) => recovery?.recoveredAfterMs, text: seconds },
    sends,
  ],
  legend: [
    'minute after: answers for each 100 new requests of the minute after the outage',
    'back in: until answers keep up with requests for good · sends: attempts for each request',
  ].join('\n'),
  heading: (results) => ({
    title: finding(
      firstOf(results, 'Default', 50) < 10 && firstOf(results, 'adaptiveThrottle()', 10_000) > 60,
      `Five seconds of silence keep a busy service down; with throttles it answers ${bothOf(results, 'adaptiveThrottle()')}\u00a0% of the next minute`,
      'The minute after five seconds of silence',
    ),
    note: 'Answered in the minute after the silence. A service at 90\u00a0% of its capacity, a queue of two seconds, clients that wait one second. 2,000 requests per second.',
  }),
});

/** The answered part of the requests that have ended, in percent. */
function answeredOf(shards: readonly ShardTrace[]): number {
  const ended = total(shards, ({ successes, failures }) => successes + failures);
  return (100 * total(shards, ({ successes }) => successes)) / ended;
}

const healthy = ({ shards }: Trace): readonly ShardTrace[] => shards.slice(1);
const total = (shards: readonly ShardTrace[], of: (shard: ShardTrace) => number): number =>
  shards.reduce((sum, shard) => sum + of(shard), 0);

/** Ten shards of five workers, at nine tenths of their capacity. A single shard answers 503 for a minute. */
const SHARDS = 10;
const WORKERS = 5;
const CAPACITY_OF_ONE = (1_000 * WORKERS) / 20;

/**
 * A circuit breaker that refuses everything for 5 s once a tenth of the last 50 attempts have failed: a threshold at which one
 * shard of ten is noticed.
 */
const breaker: ClientFactory = ({ clock }) => {
  const [attempts, opensAt, openMs] = [50, 5, 5_000];
  let failed: boolean[] = [];
  let openUntilMs = 0;
  return {
    policy: { attemptTimeoutMs: 1_000 },
    admit: () => clock.now() >= openUntilMs,
    onOutcome(outcome) {
      failed = [...failed.slice(1 - attempts), outcome.type === 'failure' || outcome.status >= 500];
      if (failed.length < attempts || failed.filter(Boolean).length < opensAt) return;
      openUntilMs = clock.now() + openMs;
      failed = [];
    },
  };
};

export const shard: Study = fleetStudy({
  name: 'shard',
  shows: 'a shard of ten fails: what becomes of the other nine',
  scenario: {
    durationMs: 120_000,
    server: {
      shards: SHARDS,
      workers: WORKERS,
      serviceMs: 20,
      maxQueue: 2 * CAPACITY_OF_ONE,
      troubles: [{ type: 'errors', share: 1, shard: 0, fromMs: 10_000, untilMs: 70_000 }],
    },
  },
  policies: { 'A breaker': breaker },
  requestsPerSecond: 0.9 * SHARDS * CAPACITY_OF_ONE,
  colour: 'teal',
  columns: [
    {
      name: 'nine answered',
      value: (trace) => answeredOf(healthy(trace)),
      text: percent,
    },
    {
      name: 'their p90',
      value: (trace) => total(healthy(trace), ({ latencyMs }) => latencyMs.p90) / (SHARDS - 1),
      text: seconds,
    },
    {
      name: 'tenth answered',
      value: ({ shards }) => answeredOf(shards.slice(0, 1)),
      text: percent,
    },
    sends,
  ],
  legend:
    'nine, their p90: requests to the healthy shards that have ended · tenth: to the one that fails · sends: attempts for each request',
  heading: (results) => ({
    title: finding(
      [50, 10_000, 40_000].every((clients) => firstOf(results, 'adaptiveThrottle()', clients) > 99.5) &&
        firstOf(results, 'A breaker', 50) < 90,
      'A throttle does not take the failure of one shard for an outage of all ten; a breaker that notices it does',
      'Requests to nine healthy shards while the tenth fails',
    ),
    note: 'Answered requests to the nine healthy shards. Ten shards behind one name at 90\u00a0% of their capacity, one of which answers 503 for a minute. Each client has one throttle or breaker for all; this breaker opens for 5 s if a tenth of 50 attempts have failed.',
  }),
});
