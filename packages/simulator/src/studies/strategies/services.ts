import { fullJitter } from '@ebb/core';
import { finding } from '../../chart/frame.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import { type Experiment, traceOf } from '../experiment.ts';
import { experimentStudy } from '../experiment-study.ts';
import { storm, stormPolicies } from '../storm/storm.ts';
import type { Study } from '../study.ts';
import * as bars from './result-bars.ts';

const curve = { baseMs: 100, capMs: 10_000 };

/** 200 workers at a service with a quota. Its 429s say when to come back. */
const retryAfterSetting: Experiment = {
  durationMs: 60_000,
  clients: { count: 200, thinkMs: 200 },
  network: { meanMs: 20, deviationMs: 4 },
  server: { workers: 50, serviceMs: 30, limit: { refillPerSecond: 100, capacity: 100 } },
  policies: {
    'Waits as asked': { backoff: { fullJitter: curve } },
    'Ignores the wait': () => ({ policy: { feedback: false, backoff: fullJitter(curve) } }),
  },
};

export const retryAfter: Study = experimentStudy(
  'retry-after',
  'clients that wait as a 429 asks, and clients that do not',
  retryAfterSetting,
  {
    'retry-after': (results) => {
      const [obeys, ignores] = ['Waits as asked', 'Ignores the wait'].map((name) => traceOf(results, name));
      const [few, many] = [obeys, ignores].map((trace) =>
        bars.TOO_MANY.text(trace && bars.TOO_MANY.value(trace)),
      );
      const [most, some] = [obeys, ignores].map((trace) =>
        bars.ANSWERED.text(trace && bars.ANSWERED.value(trace)),
      );
      return bars.resultBars(
        {
          title: finding(
            Number(few) < Number(many),
            `Clients that wait as asked get ${most} of their requests answered, others ${some}`,
            'Clients that wait as long as a 429 asks, and clients that do not',
          ),
          note: '200 workers, a quota of 100 requests per second, up to five retries with full jitter from 100 ms to 10 s.',
        },
        results,
        [bars.SENDS, bars.TOO_MANY, bars.ANSWERED],
      );
    },
  },
);

const waiting = (attemptTimeoutMs?: number): FleetPolicy => ({
  attemptTimeoutMs,
  maxRetries: 3,
  backoff: { fullJitter: curve },
});

/** A service with a long tail, p99 0.6 s, that is silent for three seconds. */
const timeoutSetting: Experiment = {
  durationMs: 60_000,
  clients: { count: 100, requestsPerSecond: 200 },
  server: {
    workers: 30,
    serviceMs: 100,
    serviceSpread: 'log-normal',
    troubles: [{ type: 'outage', fromMs: 20_000, untilMs: 23_000, answer: 'silence' }],
  },
  policies: {
    'No timeout': waiting(),
    '5 s': waiting(5_000),
    '2 s': waiting(2_000),
    '1 s': waiting(1_000),
    '1 s, and a budget': { ...waiting(1_000), budget: { retryBudget: {} } },
    '300 ms': waiting(300),
  },
};

export const timeouts: Study = experimentStudy(
  'timeouts',
  'attempt timeouts, and a service that is silent for 3 s',
  timeoutSetting,
  {
    timeouts: (results) => {
      const share = (name: string): number => bars.ANSWERED.value(traceOf(results, name)) ?? 0;
      return bars.resultBars(
        {
          title: finding(
            share('No timeout') < 96 && share('2 s') > 99 && share('1 s') < 50,
            'Without a timeout 5\u00a0% of the requests wait for ever; one of 1\u00a0s keeps the service down, one of 2\u00a0s does not',
            'Attempt timeouts around a service that is silent for three seconds',
          ),
          note: '200 requests per second to a service whose answers take 0.1 s on average and 0.6 s at the 99th percentile. It is silent for 3 s, and the queue that this leaves behind takes more than a second to serve.',
        },
        results,
        [bars.SENDS, bars.ANSWERED, bars.P99],
      );
    },
  },
);

/** The storm of 22,500 clients of one request in 50 s. */
const QUIET = { clients: 22_500, requestsPerSecond: 450 };
const published = stormPolicies(QUIET);
const budgeted = (budget: FleetPolicy['budget']): FleetPolicy => ({
  ...(published['+ budget'] as FleetPolicy),
  budget,
});

export const fleetBudget: Study = experimentStudy(
  'fleet-budget',
  'quiet clients in the storm: a budget each, or one for all',
  storm(
    {
      'No retries': published['No retries'] ?? {},
      'A budget each, reserve 3': budgeted({ retryBudget: {} }),
      'A budget each, reserve 0.1': budgeted({ retryBudget: { reserve: 0.1 } }),
      'One budget for all': budgeted({ valkeyBudget: {} }),
    },
    QUIET,
  ),
  {
    'fleet-budget': (results) => {
      const back = (name: string): number | undefined => bars.RECOVERY.value(traceOf(results, name));
      const all = back('One budget for all');
      return bars.resultBars(
        {
          title: finding(
            back('A budget each, reserve 3') === undefined && all !== undefined,
            `22,500 reserves add up to a storm; with one budget for all the fleet recovers in ${all}\u00a0s`,
            'Quiet clients with a budget each, and with one for all',
          ),
          note: 'A service at 90\u00a0% of its capacity loses half of it for a minute. Each client makes one request in 50 s. A call to the store takes 2 ms.',
        },
        results,
        [bars.SENDS, bars.RECOVERY, bars.ANSWERED],
      );
    },
  },
);
