import { finding } from '../../chart/frame.ts';
import { mapChart } from '../../chart/map-chart.ts';
import type { Study } from '../study.ts';
import {
  adaptiveLimit,
  best,
  CELLS,
  type Cell,
  fixedLimit,
  type Measurement,
  type Measures,
  PHASES,
  play,
  rightOf,
} from './cells.ts';
import type { ClientLimit } from './world.ts';

const SEEDS = [1, 2, 3, 4];
/** The bounds of a self-tuning limit, as multiples of the best fixed limit's measures: the least throughput, and the highest p99. */
const THROUGHPUT = 0.95;
const LATENCY = 1.5;

/** Limits of the figure, each made for a cell. */
const LIMITS: Readonly<Record<string, (cell: Cell) => ClientLimit>> = {
  half: ({ service }) => fixedLimit(Math.max(1, Math.floor(rightOf(service) / 2))),
  right: ({ service }) => fixedLimit(rightOf(service)),
  twice: ({ service }) => fixedLimit(2 * rightOf(service)),
  'ten ×': ({ service }) => fixedLimit(10 * rightOf(service)),
  found: adaptiveLimit,
};

/** Throughput and p99 as shares of those of the best fixed limit, in each phase: on the mean of the seeds, and of the worst seed. */
interface ComparisonResult {
  readonly mean: readonly Measurement[];
  readonly worst: readonly Measurement[];
}

function compare(of: readonly Measures[], bests: readonly Measures[]): ComparisonResult {
  const shares = PHASES.map((phase) =>
    of.map((measures, at) => {
      const right = (bests[at] as Measures)[phase];
      return {
        perSecond: measures[phase].perSecond / right.perSecond,
        p99Ms: measures[phase].p99Ms / right.p99Ms,
      };
    }),
  );
  return {
    mean: shares.map((seeds) => ({
      perSecond: seeds.reduce((sum, { perSecond }) => sum + perSecond, 0) / seeds.length,
      p99Ms: seeds.reduce((sum, { p99Ms }) => sum + p99Ms, 0) / seeds.length,
    })),
    worst: shares.map((seeds) => ({
      perSecond: Math.min(...seeds.map(({ perSecond }) => perSecond)),
      p99Ms: Math.max(...seeds.map(({ p99Ms }) => p99Ms)),
    })),
  };
}

function isWithin({ perSecond, p99Ms }: Measurement): boolean {
  return perSecond >= THROUGHPUT && p99Ms <= LATENCY;
}

interface Row extends Cell {
  /** By the names of {@link LIMITS}: fixed ones for the most callers only. */
  readonly limits: Readonly<Record<string, ComparisonResult>>;
}

function rows(seed: number, onProgress?: (share: number) => void): Row[] {
  return CELLS.map((cell, at) => {
    const seeds = SEEDS.map((one) => one + seed - 1);
    const bests = seeds.map((one) => best(cell, one));
    const names = Object.keys(LIMITS).filter((name) => name === 'found' || cell.callers === 10);
    const limits = names.map((name) => {
      const make = LIMITS[name] as (typeof LIMITS)[string];
      return [
        name,
        compare(
          seeds.map((one) => play(make(cell), cell, one)),
          bests,
        ),
      ] as const;
    });
    onProgress?.((at + 1) / CELLS.length);
    return { ...cell, limits: Object.fromEntries(limits) };
  });
}

const COLUMNS = ['whole', 'halved', 'back'];

function figure(all: readonly Row[]): string {
  const crowded = all.filter(({ callers }) => callers === 10);
  const names = Object.keys(LIMITS);
  const cells = (
    value: keyof Measurement,
    text: (mean: number) => string,
    isBad: (mean: number) => boolean,
  ) =>
    names.map((name) =>
      PHASES.map((_, phase) => {
        const means = crowded.map(
          ({ limits }) => (limits[name] as ComparisonResult).mean[phase]?.[value] ?? 0,
        );
        const mean = means.reduce((sum, one) => sum + one, 0) / means.length;
        return { text: text(mean), filled: isBad(mean) };
      }),
    );
  const throughput = cells(
    'perSecond',
    (mean) => `${(100 * mean).toFixed(0)} %`,
    (mean) => mean < THROUGHPUT,
  );
  const latency = cells(
    'p99Ms',
    (mean) => `${mean.toFixed(1)} ×`,
    (mean) => mean > LATENCY,
  );
  const isGood = [throughput, latency].every((panel) => panel.at(-1)?.every(({ filled }) => !filled));
  return mapChart({
    title: finding(
      isGood,
      'A limit that finds itself is near the best fixed one while the capacity halves and doubles',
      'A limit that finds itself beside fixed ones',
    ),
    note: `The mean of ${crowded.length} services and ${SEEDS.length} seeds, beside the best fixed limit of each phase. Ten callers for each request of the right number call again after each answer. Filled: less than 95 % of its throughput, or more than 1.5 times its p99.`,
    x: 'capacity',
    y: '',
    columns: COLUMNS,
    rows: names,
    panels: [
      { name: 'Throughput', cells: throughput },
      { name: 'p99 of an attempt', cells: latency },
    ],
  });
}

const shown = (measures: readonly Measurement[]): string[] =>
  measures.map(({ perSecond, p99Ms }) => `${(100 * perSecond).toFixed(0)} % ${p99Ms.toFixed(2)} ×`);

export const adaptiveLimits: Study = {
  name: 'concurrency',
  shows: 'a limit of concurrency that finds itself, and fixed ones',
  figures: ['concurrency'],
  run({ seed = 1, onProgress } = {}) {
    const all = rows(seed, onProgress);
    const within = (which: keyof ComparisonResult): number =>
      all.filter(({ limits }) => limits.found?.[which].every(isWithin)).length;
    return {
      table: {
        columns: ['service', 'times', 'callers', ...COLUMNS, ...COLUMNS.map((name) => `${name}, worst seed`)],
        rows: all.map(({ service, spread, callers, limits }) => [
          service.name,
          spread,
          `${callers} ×`,
          ...shown(limits.found?.mean ?? []),
          ...shown(limits.found?.worst ?? []),
        ]),
        legend: [
          'throughput and p99 of the limit, beside the best fixed limit of the phase',
          'callers: so many for each request of the right number; they call again after each answer',
          'halved: from 5 s after half the workers are gone · back: from 10 s after they are back',
          `within 95 % and 1.5 ×: ${within('mean')} of ${all.length} on the mean of ${SEEDS.length} seeds, ${within('worst')} with the worst of them`,
        ].join('\n'),
      },
      figures: [{ name: 'concurrency', svg: figure(all) }],
      csv: {
        columns: [
          'service',
          'times',
          'callers',
          'limit',
          'phase',
          'throughput',
          'p99',
          'worst_throughput',
          'worst_p99',
        ],
        rows: all.flatMap(({ service, spread, callers, limits }) =>
          Object.entries(limits).flatMap(([name, { mean, worst }]) =>
            PHASES.map((phase, at) => [
              service.name,
              spread,
              callers,
              name,
              phase,
              ...[mean[at]?.perSecond, mean[at]?.p99Ms, worst[at]?.perSecond, worst[at]?.p99Ms].map(
                (value = 0) => Number(value.toFixed(3)),
              ),
            ]),
          ),
        ),
      },
      data: all,
    };
  },
};
