import { duration } from '../../chart/scale.ts';
import { simulate } from '../../simulation/simulate.ts';
import type { Study } from '../study.ts';
import { storm, stormPolicies } from './storm.ts';

/** A load of 2,000 requests per second, from clients that make one request in 5 to 100 s. */
const SECONDS_BETWEEN: readonly number[] = [5, 10, 20, 50, 100];
const REQUESTS_PER_SECOND = 2_000;
const RESERVES: readonly number[] = [3, 1, 0.5, 0.25, 0.1, 0.05];

interface Point {
  readonly secondsBetween: number;
  readonly clients: number;
  readonly reserve: number;
  readonly sends: number;
  readonly recoveredAfterMs: number | undefined;
}

function pointOf(secondsBetween: number, reserve: number, seed: number | undefined): Point {
  const clients = REQUESTS_PER_SECOND * secondsBetween;
  const size = { clients, requestsPerSecond: REQUESTS_PER_SECOND };
  const { policies, ...scenario } = storm(stormPolicies(size), size);
  const policy = { ...policies?.Memorystore, budget: { retryBudget: { reserve } } };
  const { amplification, recovery } = simulate({ ...scenario, policy }, { seed });
  return {
    secondsBetween,
    clients,
    reserve,
    sends: amplification,
    recoveredAfterMs: recovery?.recoveredAfterMs,
  };
}

/** Which reserve of a budget for each client lets which fleet recover. */
export const reserves: Study = {
  name: 'reserves',
  shows: 'the storm: which budget reserve lets which fleet recover',
  figures: [],
  run({ seed, onProgress } = {}) {
    const points: Point[] = [];
    for (const secondsBetween of SECONDS_BETWEEN) {
      for (const reserve of RESERVES) {
        points.push(pointOf(secondsBetween, reserve, seed));
        onProgress?.(points.length / (SECONDS_BETWEEN.length * RESERVES.length));
      }
    }
    const cell = ({ recoveredAfterMs, sends }: Point): string =>
      `${recoveredAfterMs === undefined ? 'not yet' : duration(recoveredAfterMs)} / ${sends.toFixed(2)}`;
    const rows = SECONDS_BETWEEN.map((seconds) => [
      `one in ${seconds} s`,
      ...points.filter(({ secondsBetween }) => secondsBetween === seconds).map(cell),
    ]);
    return {
      table: {
        columns: ['requests of each', ...RESERVES.map((reserve) => `reserve ${reserve}`)],
        rows,
        legend:
          'back in / sends for each request; 2,000 requests per second in all, half the capacity gone for 60 s',
      },
      figures: [],
      csv: {
        columns: ['seconds_between', 'clients', 'reserve', 'sends', 'recovered_after_ms'],
        rows: points.map(({ secondsBetween, clients, reserve, sends, recoveredAfterMs }) => [
          secondsBetween,
          clients,
          reserve,
          Number(sends.toFixed(4)),
          recoveredAfterMs ?? '',
        ]),
      },
      data: points,
    };
  },
};
