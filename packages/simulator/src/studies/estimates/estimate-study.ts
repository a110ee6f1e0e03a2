import { barChart } from '../../chart/bar-chart.ts';
import { finding } from '../../chart/frame.ts';
import type { Colour } from '../../chart/palette.ts';
import type { Study } from '../study.ts';
import { callModel, type EstimateResult, MOST, type Reserve } from './world.ts';

interface Run extends Reserve {
  readonly name: string;
  readonly found: EstimateResult;
}

const ESTIMATES: readonly (Pick<Reserve, 'share' | 'quantile'> & { readonly name: string })[] = [
  { name: '5 % of the bound', share: 0.05 },
  { name: 'learned, median', quantile: 0.5 },
  { name: 'learned, 0.75', quantile: 0.75 },
  { name: 'learned, 0.9', quantile: 0.9 },
  { name: 'the bound', share: 1 },
];

const CASES: readonly (Reserve & { readonly name: string })[] = [
  ...[false, true].flatMap((isTold) =>
    ESTIMATES.map((one) => ({ ...one, rest: 'settled', isTold }) as const),
  ),
  ...ESTIMATES.filter(({ name }) => name !== 'learned, median').map(
    (one) => ({ ...one, rest: 'given back' }) as const,
  ),
  { name: 'the bound', share: 1, rest: 'kept' },
];

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function figure(all: readonly Run[]): string {
  const found = (name: string, rest: Reserve['rest'], isTold = false): EstimateResult =>
    (all.find((run) => run.name === name && run.rest === rest && (run.isTold ?? false) === isTold) as Run)
      .found;
  const bar = (share: number, colour: Colour) => ({
    parts: [{ value: 100 * share, colour }],
    text: `${(100 * share).toFixed(0)}\u00a0%`,
  });
  const told = found('learned, 0.75', 'settled', true);
  return barChart({
    title: finding(
      told.used > 0.99 && told.refused < 0.001,
      'With a learned estimate and the state that answers tell, all that comes in is used, and nothing is refused',
      'What a client reserves for an answer, and what it then uses of its quota',
    ),
    note: `400 callers of a model that charges output as it is written; answers have a median of 300 tokens, and a bound of ${MOST.toLocaleString('en')}.`,
    columns: ['Used', 'Refused', 'Used, told what is left', 'Refused, told what is left'],
    rows: ESTIMATES.map(({ name }) => {
      const [alone, state] = [found(name, 'settled'), found(name, 'settled', true)];
      return {
        name,
        bars: [
          bar(alone.used, 'green'),
          bar(alone.refused, 'red'),
          bar(state.used, 'green'),
          bar(state.refused, 'red'),
        ],
      };
    }),
  });
}

/** The use of a quota, by the reserve for each answer. */
export const estimates: Study = {
  name: 'estimates',
  shows: 'what to reserve for an answer whose length is not known',
  figures: ['estimates'],
  run({ seed, onProgress } = {}) {
    const all = CASES.map((one, at): Run => {
      const found = callModel(one, seed);
      onProgress?.((at + 1) / CASES.length);
      return { ...one, found };
    });
    return {
      table: {
        columns: ['reserved', 'the rest is', 'told', 'used', 'refused', 'waited'],
        rows: all.map(({ name, rest, isTold = false, found }) => [
          name,
          rest === 'settled' ? 'held, then charged' : rest,
          isTold ? 'yes' : 'no',
          percent(found.used),
          percent(found.refused),
          `${found.waited.toFixed(0)} s`,
        ]),
        legend: [
          'used: as a part of what came in, after the first minutes; more than 100 % if less is left at the end',
          'told: answers say what is left of the account, and the client lowers its level to that',
          'waited: what half of the requests waited at most; 400 callers always want more than there is',
        ].join('\n'),
      },
      figures: [{ name: 'estimates', svg: figure(all) }],
      csv: {
        columns: ['reserved', 'rest', 'told', 'used', 'refused', 'waited_s'],
        rows: all.map(({ name, rest, isTold = false, found }) => [
          ...[name, rest, Number(isTold)],
          ...[found.used, found.refused, found.waited].map((value) => Number(value.toFixed(4))),
        ]),
      },
      data: all,
    };
  },
};
