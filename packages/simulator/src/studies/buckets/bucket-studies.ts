import { duration, numeral } from '../../chart/scale.ts';
import type { Study } from '../study.ts';
import { burstUnder, GATEWAY_CASES, gatewayServes, taskStarts } from './bucket-cases.ts';
import * as figures from './bucket-figures.ts';

export const appEngine: Study = {
  name: 'app-engine',
  shows: 'buckets of 500 and of 100 tokens at 500 tasks per second',
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
        legend: 'tasks started by that time, from a long backlog; tokens come in every 200 ms',
      },
      figures: [{ name: 'app-engine', svg: figures.appEngineFigure() }],
      csv: { columns: ['bucket', ...seconds.map((second) => `by_${second}_s`)], rows },
      data: sizes.map((bucketSize) => ({ bucketSize, startsMs: taskStarts(bucketSize, 2_000) })),
    };
  },
};

export const apiGateway: Study = {
  name: 'api-gateway',
  shows: 'five ways for 10,000 requests to arrive in a second',
  figures: ['api-gateway'],
  run() {
    const cases = GATEWAY_CASES.map((gatewayCase) => ({
      story: gatewayCase.story,
      ...gatewayServes(gatewayCase),
    }));
    return {
      table: {
        columns: ['10,000 requests arrive', 'served', 'throttled'],
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

export const treatments: Study = {
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
        legend: '200 requests in a second, then 50 per second; a bucket of 20 at 100 per second',
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
