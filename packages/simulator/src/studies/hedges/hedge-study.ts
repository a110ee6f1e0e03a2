import { barChart } from '../../chart/bar-chart.ts';
import type { Study } from '../study.ts';
import { brownOut } from './brown-out.ts';
import { meanOf, RULES, type Rule } from './rules.ts';
import { tail } from './tail.ts';

const NO_BREAK = '\u00a0';

/** The first ones of the table. */
const DRAWN = 5;

interface Found {
  readonly name: string;
  readonly tail: ReturnType<typeof tail>;
  readonly brownOut: ReturnType<typeof brownOut>;
}

function run(): Found[] {
  return Object.entries(RULES).map(([name, make]: [string, () => Rule]) => ({
    name,
    tail: meanOf((seed) => tail(make(), seed)),
    brownOut: meanOf((seed) => brownOut(make(), seed)),
  }));
}

const ms = (value: number): string => `${Math.round(value).toLocaleString('en')}${NO_BREAK}ms`;
const percent = (share: number): string => `${(100 * share).toFixed(1)}${NO_BREAK}%`;

function figure(all: readonly Found[]): string {
  return barChart({
    title: 'Hedges cut the tail of a service to a third, and hardly add to one that is over its capacity',
    note: 'A service of 5 ms in which one try in twenty takes ten times as long; and the same service, as workers with one queue, for 10 s a tenth over its capacity.',
    columns: ['p99', 'More sends', 'Over capacity: p99', 'Over capacity: more sends'],
    rows: all.slice(0, DRAWN).map(({ name, tail: calm, brownOut: over }) => ({
      name,
      bars: [
        { parts: [{ value: calm.p99, colour: 'purple' }], text: ms(calm.p99) },
        { parts: [{ value: calm.extra, colour: 'blue' }], text: percent(calm.extra) },
        { parts: [{ value: over.p99, colour: 'purple' }], text: ms(over.p99) },
        { parts: [{ value: over.extra, colour: 'blue' }], text: percent(over.extra) },
      ],
    })),
  });
}

export const hedges: Study = {
  name: 'hedges',
  shows: 'a second try of slow requests, in calm and over capacity',
  figures: ['hedges'],
  run() {
    const all = run();
    return {
      table: {
        columns: ['rule', 'p50', 'p99', 'p99.9', 'more', 'over: p99', 'over: more'],
        rows: all.map(({ name, tail: calm, brownOut: over }) => [
          name,
          calm.p50.toFixed(1),
          calm.p99.toFixed(1),
          calm.p999.toFixed(1),
          percent(calm.extra),
          ms(over.p99),
          percent(over.extra),
        ]),
        legend: [
          'more: sends beside the first tries · p50, p99, p99.9: in ms',
          'over: in 10 s a tenth over the capacity of ten workers with one queue',
          'each is the mean of six seeds',
        ].join('\n'),
      },
      figures: [{ name: 'hedges', svg: figure(all) }],
      csv: {
        columns: ['rule', 'p50_ms', 'p99_ms', 'p999_ms', 'extra', 'over_p99_ms', 'over_extra'],
        rows: all.map(({ name, tail: calm, brownOut: over }) => [
          name,
          ...[calm.p50, calm.p99, calm.p999, calm.extra, over.p99, over.extra].map((value) =>
            Number(value.toFixed(4)),
          ),
        ]),
      },
      data: all,
    };
  },
};
