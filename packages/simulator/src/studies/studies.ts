import { duration } from '../chart/duration.ts';
import { numeral } from '../chart/scale.ts';
import { burstUnder, GATEWAY_CASES, gatewayServes, taskStarts } from './buckets/bucket-cases.ts';
import * as figures from './buckets/bucket-figures.ts';
import type { Experiment } from './experiment.ts';
import { experimentStudy } from './experiment-study.ts';
import { articleStudy, otherRulesStudy } from './race/race-study.ts';
import { quietDay, quietStorm } from './storm/quiet.ts';
import { reserves } from './storm/reserves.ts';
import { storm, stormPolicies } from './storm/storm.ts';
import * as storms from './storm/storm-figures.ts';
import type { Study } from './study.ts';

const appEngine: Study = {
  name: 'app-engine',
  shows: 'buckets of 500 and of 100 at 500 tasks a second',
  figures: ['app-engine'],
  run() {
    const seconds = [0.2, 0.4, 0.6, 0.8, 1, 2];
    const sizes = [500, 100];
    const startedBy = (size: number, second: number): number =>
      taskStarts(size, 2_000).filter((ms) => ms < second * 1_000).length;
    const rows = sizes.map((size) => [size, ...seconds.map((second) => startedBy(size, second))] as const);
    return {
      table: {
        columns: ['bucket', ...seconds.map((second) => `${second} s`)],
        rows: rows.map((row) => row.map(numeral)),
        legend: 'tasks started by then, from a long backlog; tokens come every 200 ms',
      },
      figures: [{ name: 'app-engine', svg: figures.appEngineFigure() }],
      csv: { columns: ['bucket', ...seconds.map((second) => `by_${second}_s`)], rows },
      data: sizes.map((bucketSize) => ({ bucketSize, startsMs: taskStarts(bucketSize, 2_000) })),
    };
  },
};

const apiGateway: Study = {
  name: 'api-gateway',
  shows: 'five ways for 10,000 requests to come in a second',
  figures: ['api-gateway'],
  run() {
    const cases = GATEWAY_CASES.map((gatewayCase) => ({
      story: gatewayCase.story,
      ...gatewayServes(gatewayCase),
    }));
    return {
      table: {
        columns: ['10,000 requests come', 'served', 'throttled'],
        rows: cases.map(({ story, served, throttled }) => [story, numeral(served), numeral(throttled)]),
      },
      figures: [{ name: 'api-gateway', svg: figures.gatewayFigure() }],
      csv: {
        columns: ['story', 'served', 'throttled'],
        rows: cases.map(({ story, served, throttled }) => [story, served, throttled]),
      },
      data: cases,
    };
  },
};

const treatments: Study = {
  name: 'treatments',
  shows: 'delay, reject or mark: requests without a token',
  figures: ['treatments'],
  run() {
    const results = (['delay', 'reject', 'mark'] as const).map((treatment) => {
      const passages = burstUnder(treatment);
      const waits = passages.map(({ arrivedAtMs, sentAtMs = arrivedAtMs }) => sentAtMs - arrivedAtMs);
      return {
        treatment,
        sent: passages.filter(({ sentAtMs }) => sentAtMs !== undefined).length,
        notConforming: passages.filter(({ conforming }) => !conforming).length,
        longestWaitMs: Math.max(...waits),
      };
    });
    return {
      table: {
        columns: ['treatment', 'sent', 'not conforming', 'longest wait'],
        rows: results.map(({ treatment, sent, notConforming, longestWaitMs }) => [
          treatment,
          `${sent} of 300`,
          numeral(notConforming),
          duration(longestWaitMs),
        ]),
        legend: '200 requests in a second, then 50 a second, to a bucket of 20 at 100 a second',
      },
      figures: [{ name: 'treatments', svg: figures.treatmentsFigure() }],
      csv: {
        columns: ['treatment', 'sent', 'not_conforming', 'longest_wait_ms'],
        rows: results.map((result) => [
          result.treatment,
          result.sent,
          result.notConforming,
          Number(result.longestWaitMs.toFixed(3)),
        ]),
      },
      data: results,
    };
  },
};

const stormFigures = {
  storm: storms.stormFigure,
  'storm-schemes': storms.stormSchemesFigure,
  'storm-queue': storms.stormQueueFigure,
};

const BUSY = { clients: 50, requestsPerSecond: 2_000 };
const MILLION = { clients: 1_000_000, requestsPerSecond: 50_000 };

/** 200 workers that each ask as fast as they are answered, of a service with a quota of 100 a second. */
const quota: Experiment = {
  title: 'A bucket at the client spares a service with a quota most of its refusals',
  durationMs: 120_000,
  clients: { count: 200, thinkMs: 200 },
  network: { meanMs: 20, deviationMs: 4 },
  server: { workers: 50, serviceMs: 30, limit: { refillPerSecond: 100, capacity: 100 } },
  policies: {
    'Full jitter': { maxRetries: 50, backoff: { fullJitter: { baseMs: 100, capMs: 10_000 } } },
    Memorystore: { maxRetries: 50 },
    '+ bucket': { maxRetries: 50, bucket: { tokenBucket: { refillPerSecond: 0.48, capacity: 1 } } },
    '+ adaptive': { maxRetries: 50, bucket: { adaptive: { refillPerSecond: 5, capacity: 1 } } },
  },
};

/** A service that goes away for half a minute and comes back cold. */
const outage: Experiment = {
  title: 'A service that comes back cold meets the retries of all who waited',
  durationMs: 150_000,
  clients: { count: 2_000, requestsPerSecond: 900 },
  server: {
    workers: 20,
    serviceMs: 20,
    maxQueue: 2_000,
    troubles: [
      { type: 'outage', fromMs: 20_000, untilMs: 50_000, answer: 'refused' },
      { type: 'slow-start', fromMs: 50_000, untilMs: 80_000, capacityShare: 0.2 },
    ],
  },
  policies: Object.fromEntries(
    Object.entries(stormPolicies({ clients: 2_000, requestsPerSecond: 900 })).filter(([name]) =>
      ['No retries', 'At once', 'Exponential', 'Full jitter', 'Memorystore', '+ budget', '+ bucket'].includes(
        name,
      ),
    ),
  ),
};

/** Every named study, in the order in which they are listed. */
export const STUDIES: readonly Study[] = [
  articleStudy(),
  otherRulesStudy,
  appEngine,
  apiGateway,
  treatments,
  experimentStudy(
    'storm',
    '14 ways to retry while half the capacity is gone',
    storm(stormPolicies()),
    stormFigures,
  ),
  experimentStudy(
    'storm-busy',
    'the storm, with 50 busy clients, not 10,000 quiet ones',
    storm(stormPolicies(BUSY), BUSY),
  ),
  experimentStudy(
    'storm-short-queue',
    'the storm, with a queue shorter than clients wait',
    storm(stormPolicies(), { queueSeconds: 0.4 }),
  ),
  reserves,
  experimentStudy('storm-quiet', 'the storm, with 100,000 clients of one request in 50 s', quietStorm),
  experimentStudy('quiet-day', 'those clients when 2 % of the requests fail by chance', quietDay),
  experimentStudy('quota', 'a service with a quota, 429 and Retry-After', quota),
  experimentStudy('outage', 'half a minute of nothing, then a slow start', outage),
  experimentStudy(
    'million',
    'a million clients through the storm',
    storm({ '+ budget': stormPolicies(MILLION)['+ budget'] ?? {} }, MILLION),
  ),
];
