import { lineChart } from '../chart/line-chart.ts';
import { COLOURS, type Colour } from '../chart/palette.ts';
import { duration, numeral } from '../chart/scale.ts';
import { failedShare, goodput, type Trace } from '../measure/trace.ts';
import { type Experiment, type ExperimentResult, runExperiment } from './experiment.ts';
import type { Study, StudyResult } from './study.ts';
import type { Table } from './table.ts';

function backIn({ recovery }: Trace): string {
  if (recovery === undefined) return '—';
  return recovery.recoveredAfterMs === undefined ? 'not yet' : duration(recovery.recoveredAfterMs);
}

/** The largest of any number of values: `Math.max` fails with too many arguments. */
function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/** The results of all policies as a table. */
export function experimentTable(results: readonly ExperimentResult[], durationMs: number): Table {
  return {
    columns: ['policy', 'sends', 'answered', '429s/s', 'p50', 'p99', 'queue', 'back in'],
    rows: results.map(({ name, trace }) => [
      name,
      trace.amplification.toFixed(2),
      `${(100 * (1 - failedShare(trace))).toFixed(1)} %`,
      numeral(Math.round((trace.totals.answered429 * 1_000) / durationMs)),
      duration(trace.latencyMs.p50),
      duration(trace.latencyMs.p99),
      numeral(largest(trace.series.queue)),
      backIn(trace),
    ]),
    legend: [
      'sends: attempts for each request · answered: requests that did not fail',
      'p50, p99: from a request to its answer · queue: the longest, at the server',
      'back in: from the end of the trouble until answers keep up with requests',
    ].join('\n'),
  };
}

const LINE_COLOURS = Object.keys(COLOURS).filter((colour) => colour !== 'grey') as Colour[];

/** With dashes nine colours distinguish 45 lines. More than that are distinguished by their labels. */
const DASHES = [false, [6, 4], [2, 3], [12, 4], [12, 3, 2, 3]];

/** Goodput over time, with a line for each policy. */
function goodputFigure(results: readonly ExperimentResult[], title: string): string {
  return lineChart({
    title,
    note: 'Answered requests as a share of the new requests of the same time.',
    x: 'Seconds',
    y: 'Requests answered, %',
    lines: results.map(({ name, trace }, at) => ({
      name,
      colour: LINE_COLOURS[at % LINE_COLOURS.length] as Colour,
      points: goodput(trace),
      dashed: DASHES[Math.floor(at / LINE_COLOURS.length) % DASHES.length] as readonly number[] | false,
    })),
  });
}

/** Every interval of every policy. */
function intervals(results: readonly ExperimentResult[]): StudyResult['csv'] {
  const names = Object.keys(results[0]?.trace.series ?? {}) as (keyof Trace['series'])[];
  return {
    columns: ['policy', 'seconds', ...names],
    rows: results.flatMap(({ name, trace: { series, intervalMs } }) =>
      Array.from(series.requests, (_, at) => [
        name,
        ((at + 1) * intervalMs) / 1_000,
        ...names.map((column) => series[column][at] as number),
      ]),
    ),
  };
}

/** Traces with arrays instead of typed arrays, which JSON writes as objects. */
function asData(results: readonly ExperimentResult[]): unknown {
  return results.map(({ name, trace }) => ({
    policy: name,
    ...trace,
    series: Object.fromEntries(
      Object.entries(trace.series).map(([key, values]) => [key, Array.from(values)]),
    ),
  }));
}

/** Policies to run with several seeds: the seed of the other policies, and the seeds after it. */
export interface Repeats {
  readonly policies: readonly string[];
  readonly seeds: number;
}

/** Draws the results of all policies. `repeats` are those of the repeated ones, for each further seed. */
type Draw = (
  results: readonly ExperimentResult[],
  repeats: readonly (readonly ExperimentResult[])[],
) => string;

/** The results of all policies, then those of the repeated ones for each further seed. */
function runSeeds(
  experiment: Experiment,
  { policies, seeds }: Repeats,
  first: number,
  onProgress?: (share: number) => void,
): ExperimentResult[][] {
  const again = Object.entries(experiment.policies ?? {}).filter(([name]) => policies.includes(name));
  const repeated = { ...experiment, policies: Object.fromEntries(again) };
  return Array.from({ length: seeds }, (_, at) =>
    runExperiment(at === 0 ? experiment : repeated, {
      seed: first + at,
      onProgress: (share) => onProgress?.((at + share) / seeds),
    }),
  );
}

/** A study of an experiment. Without `draw` it has one figure, of the goodput. */
export function experimentStudy(
  name: string,
  shows: string,
  experiment: Experiment,
  draw?: Readonly<Record<string, Draw>>,
  repeated: Repeats = { policies: [], seeds: 1 },
): Study {
  const title = experiment.title ?? shows;
  const drawings = draw ?? { goodput: (results) => goodputFigure(results, title) };
  return {
    name,
    shows,
    figures: Object.keys(drawings),
    run({ seed = 1, onProgress } = {}) {
      const [results = [], ...repeats] = runSeeds(experiment, repeated, seed, onProgress);
      return {
        table: experimentTable(results, experiment.durationMs),
        figures: Object.entries(drawings).map(([name, drawn]) => ({ name, svg: drawn(results, repeats) })),
        csv: intervals(results),
        data: asData(results),
      };
    },
  };
}
