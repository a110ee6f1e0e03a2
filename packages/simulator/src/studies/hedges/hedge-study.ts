import { barChart } from '../../chart/bar-chart.ts';
import { finding } from '../../chart/frame.ts';
import type { Study } from '../study.ts';
import { brownOut } from './brown-out.ts';
import { meanOf, RULES, type Rule } from './rules.ts';
import { TAILS, type Tail, tail } from './tail.ts';

const NO_BREAK = '\u00a0';

interface HedgeResult {
  readonly name: string;
  readonly tails: Readonly<Record<string, Tail>>;
  readonly brownOut: ReturnType<typeof brownOut>;
}

function run(onProgress: ((share: number) => void) | undefined): HedgeResult[] {
  const rules = Object.entries(RULES);
  return rules.map(([name, make]: [string, () => Rule], at) => {
    onProgress?.(at / rules.length);
    const tails = Object.entries(TAILS).map(([world, stragglers]) => [
      world,
      meanOf((seed) => tail(make(), seed, stragglers)),
    ]);
    return { name, tails: Object.fromEntries(tails), brownOut: meanOf((seed) => brownOut(make(), seed)) };
  });
}

const ms = (value: number): string => `${Math.round(value).toLocaleString('en')}${NO_BREAK}ms`;
const percent = (share: number): string => `${(100 * share).toFixed(1)}${NO_BREAK}%`;

/** True if no fixed quantile is much better in any world: the slowest thousandth, and the brown-out. */
function isBestEverywhere(all: readonly HedgeResult[]): boolean {
  const own = all.find(({ name }) => name === 'ebb') as HedgeResult;
  const without = all.find(({ name }) => name === 'none') as HedgeResult;
  const isClose = Object.entries(own.tails).every(([world, { p999 }]) =>
    all.every(({ name, tails }) => !name.startsWith('quantile') || p999 <= 1.3 * (tails[world]?.p999 ?? 0)),
  );
  return isClose && own.brownOut.p99 <= 1.1 * without.brownOut.p99;
}

function figure(all: readonly HedgeResult[]): string {
  return barChart({
    title: finding(
      isBestEverywhere(all),
      'A quantile that follows the saved hedges is near the best fixed one, whatever the share of slow tries',
      'Hedges of a service with slow tries',
    ),
    note: 'The slowest thousandth of the requests to a service of 5 ms, of which some tries take ten times as long, or hang for 5 s.',
    columns: Object.keys(TAILS),
    rows: all.map(({ name, tails }) => ({
      name,
      bars: Object.values(tails).map(({ p999 }) => ({
        // Tries that hang would leave nothing to see of the others.
        parts: [{ value: Math.min(120, p999), colour: name === 'ebb' ? 'purple' : 'blue' }],
        text: ms(p999),
      })),
    })),
  });
}

export const hedges: Study = {
  name: 'hedges',
  shows: 'a second try of slow requests, in calm and over capacity',
  figures: ['hedges'],
  run({ onProgress } = {}) {
    const all = run(onProgress);
    const worlds = Object.keys(TAILS);
    return {
      table: {
        columns: ['rule', ...worlds.flatMap((world) => [`${world}: p99.9`, 'more']), 'over: p99', 'more'],
        rows: all.map(({ name, tails, brownOut: over }) => [
          name,
          ...Object.values(tails).flatMap(({ p999, extra }) => [p999.toFixed(1), percent(extra)]),
          ms(over.p99),
          percent(over.extra),
        ]),
        legend: [
          'p99.9: in ms, of a service of 5 ms, some of whose tries take ten times as long, or hang · more: sends beside the first tries',
          'over: in 10 s a tenth over the capacity of ten workers with one queue',
          'quantile: one that is fixed, with the allowance of ebb · each is the mean of six seeds',
        ].join('\n'),
      },
      figures: [{ name: 'hedges', svg: figure(all) }],
      csv: {
        columns: [
          'rule',
          ...worlds.flatMap((world) =>
            ['p50_ms', 'p99_ms', 'p999_ms', 'extra'].map((one) => `${world} ${one}`),
          ),
          'over_p99_ms',
          'over_extra',
        ],
        rows: all.map(({ name, tails, brownOut: over }) => [
          name,
          ...[
            ...Object.values(tails).flatMap(({ p50, p99, p999, extra }) => [p50, p99, p999, extra]),
            over.p99,
            over.extra,
          ].map((value) => Number(value.toFixed(4))),
        ]),
      },
      data: all,
    };
  },
};
