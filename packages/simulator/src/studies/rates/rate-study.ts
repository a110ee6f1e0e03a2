import { barChart } from '../../chart/bar-chart.ts';
import { finding } from '../../chart/frame.ts';
import type { Colour } from '../../chart/palette.ts';
import type { Study } from '../study.ts';
import { findIn, type RateResult } from './measures.ts';
import { RULES, shareKnown } from './rules.ts';
import { type MakeRate, QUOTA } from './world.ts';

/** A rule among so many clients: all at once, and half of them late. */
interface Run {
  readonly rule: string;
  readonly clients: number;
  readonly quota: number;
  readonly burst: number;
  readonly together: RateResult;
  readonly late: RateResult | undefined;
}

type Case = Pick<Run, 'rule' | 'clients' | 'quota' | 'burst'>;

const CASES: readonly Case[] = [
  ...Object.keys(RULES).flatMap((rule) =>
    [1, 2, 10, 100].map((clients) => ({ rule, clients, quota: QUOTA, burst: QUOTA / 5 })),
  ),
  // Fewer requests of each client.
  ...[500, 300, 100, 10].map((quota) => ({ rule: 'adaptive', clients: 100, quota, burst: 100 })),
  // A server that holds fewer tokens.
  ...['adaptive', 'share known'].flatMap((rule) =>
    [20, 5, 1].map((burst) => ({ rule, clients: 10, quota: QUOTA, burst })),
  ),
];

function runs(seed: number | undefined, onProgress?: (share: number) => void): Run[] {
  return CASES.map((one, at) => {
    const { rule, clients, quota, burst } = one;
    const make: MakeRate = RULES[rule] ?? shareKnown;
    const world = { clients, quota, burst, load: 'closed', seed } as const;
    const together = findIn(make, { ...world, changes: true });
    const isUsual = quota === QUOTA && burst === QUOTA / 5;
    const late = clients === 1 || !isUsual ? undefined : findIn(make, { ...world, late: true });
    onProgress?.((at + 1) / CASES.length);
    return { ...one, together, late };
  });
}

function percent(share: number | undefined): string {
  return share === undefined ? '—' : `${(100 * share).toFixed(1)} %`;
}

function seconds(time: number | undefined): string {
  return time === undefined || time === Number.POSITIVE_INFINITY ? 'not in 60 s' : `${time} s`;
}

function figure(all: readonly Run[]): string {
  const found = (rule: string, clients: number): Run =>
    all.find((run) => run.rule === rule && run.clients === clients) as Run;
  const bar = (share: number | undefined, colour: Colour) => ({
    parts: [{ value: 100 * (share ?? 0), colour }],
    text: `${(100 * (share ?? 0)).toFixed(0)}\u00a0%`,
  });
  const [two, hundred] = [found('adaptive', 2).together, found('adaptive', 100).together];
  return barChart({
    title: finding(
      two.use > 0.95 && hundred.refused < 0.05,
      `Two adaptive buckets use ${percent(two.use).replace(' ', '\u00a0')} of a quota, and a hundred have ${percent(hundred.refused).replace(' ', '\u00a0')} refused`,
      'Clients that each know the whole quota, and how they find their shares',
    ),
    note: 'Each client knows the quota of 1,000 per second, and nothing of the others; each asks again after each answer. In the last column half of 100 clients start 30\u00a0s late; the 10\u00a0s after that.',
    columns: ['Use, two clients', 'Refused, 100 clients', '… in the first 10 s', '… when half come late'],
    rows: Object.keys(RULES).map((rule) => {
      const many = found(rule, 100);
      return {
        name: rule,
        bars: [
          bar(found(rule, 2).together.use, 'green'),
          bar(many.together.refused, 'red'),
          bar(many.together.refusedAtFirst, 'red'),
          bar(many.late?.refusedAtFirst, 'red'),
        ],
      };
    }),
  });
}

export const adaptiveRate: Study = {
  name: 'adaptive',
  shows: 'up to 100 clients that each know the whole quota',
  figures: ['adaptive'],
  run({ seed, onProgress } = {}) {
    const all = runs(seed, onProgress);
    return {
      table: {
        columns: [
          'rule',
          'clients',
          'quota',
          'burst',
          'used',
          'refused',
          'first 10 s',
          'late',
          'Jain',
          'Jain, late',
          'Jain, 5 s',
          'half',
          'double',
        ],
        rows: all.map(({ rule, clients, quota, burst, together, late }) => [
          rule,
          String(clients),
          String(quota),
          String(burst),
          percent(together.use),
          percent(together.refused),
          percent(together.refusedAtFirst),
          percent(late?.refusedAtFirst),
          together.jain.toFixed(2),
          late?.jain.toFixed(2) ?? '—',
          together.jainOf5.toFixed(2),
          seconds(together.backAfterHalf),
          seconds(together.backAfterDouble),
        ]),
        legend: [
          'quota: of all clients together, per second · burst: tokens that the server holds',
          'used, refused, Jain: from 30 s to 90 s; Jain is 1 if all clients got the same',
          'first 10 s: refused · late: refused in 10 s when half the clients come late',
          'half, double: until 95 % of a changed quota are used, and at most 5 % refused',
        ].join('\n'),
      },
      figures: [{ name: 'adaptive', svg: figure(all) }],
      csv: {
        columns: [
          'rule',
          'clients',
          'quota',
          'burst',
          'late',
          'use',
          'refused',
          'refused_first_10_s',
          'jain',
        ],
        rows: all.flatMap(({ rule, clients, quota, burst, together, late }) =>
          [together, late].flatMap((found, at) =>
            found === undefined
              ? []
              : [
                  [
                    rule,
                    clients,
                    quota,
                    burst,
                    at,
                    ...[found.use, found.refused, found.refusedAtFirst, found.jain].map((value) =>
                      Number(value.toFixed(4)),
                    ),
                  ],
                ],
          ),
        ),
      },
      data: all,
    };
  },
};
