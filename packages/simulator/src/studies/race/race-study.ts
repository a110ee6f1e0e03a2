import { duration, numeral } from '../../chart/scale.ts';
import {
  ARTICLE_RACE,
  ARTICLE_RULES,
  articleRules,
  type Comparison,
  type ComparisonPoint,
  compareRules,
  OTHER_RULES,
  type RaceSettings,
} from '../../race/comparison.ts';
import type { Study } from '../study.ts';
import * as figures from './race-figures.ts';

/** The seed of the README and the tests, with which all published means are met. `pnpm example packages/simulator/src/cli/agreement.ts` counts such seeds. */
const SEED = 4;

interface Race {
  readonly name: string;
  readonly shows: string;
  readonly comparison: Comparison;
  /** The settings of the race, as a sentence. */
  readonly settings: string;
  readonly draw: Readonly<Record<string, (race: figures.RaceFigure) => string>>;
}

const CSV_COLUMNS = [
  'clients',
  'rule',
  'runs',
  'mean_completion_ms',
  'se_completion_ms',
  'mean_calls',
  'se_calls',
];

function csvRow({ clients, rule, runs, completionMs, calls }: ComparisonPoint): (string | number)[] {
  return [
    clients,
    rule,
    runs,
    Number(completionMs.mean.toFixed(2)),
    Number(completionMs.standardError.toFixed(3)),
    Number(calls.mean.toFixed(3)),
    Number(calls.standardError.toFixed(4)),
  ];
}

/** At most four of the numbers of clients, always with the first and the last. */
function shownOf(points: readonly ComparisonPoint[]): number[] {
  const clients = [...new Set(points.map((point) => point.clients))];
  const last = clients.length - 1;
  return [...new Set([0, 1 / 3, 2 / 3, 1].map((share) => clients[Math.round(share * last)] as number))];
}

function raceStudy({ name, shows, comparison, settings, draw }: Race): Study {
  return {
    name,
    shows,
    figures: Object.keys(draw),
    run({ seed = SEED, onProgress } = {}) {
      const points = compareRules({ ...comparison, seed, ...(onProgress && { onProgress }) });
      const shown = shownOf(points);
      const rules = [...new Set(points.map(({ rule }) => rule))];
      const cell = (rule: string, clients: number): string => {
        const point = points.find((other) => other.rule === rule && other.clients === clients);
        if (point === undefined) return '';
        return `${numeral(Math.round(point.calls.mean))} / ${duration(point.completionMs.mean)}`;
      };
      return {
        table: {
          columns: ['rule', ...shown.map((clients) => `${clients} clients`)],
          rows: rules.map((rule) => [rule, ...shown.map((clients) => cell(rule, clients))]),
          legend: 'calls / time until all clients are done; means of 100 runs',
        },
        figures: Object.entries(draw).map(([name, drawn]) => ({ name, svg: drawn({ points, settings }) })),
        csv: { columns: CSV_COLUMNS, rows: points.map(csvRow) },
        data: points,
      };
    },
  };
}

/** The race of the article, or a race with other settings. */
export function articleStudy(given: Partial<RaceSettings> = {}): Study {
  const race = { ...ARTICLE_RACE, ...given };
  const { baseMs, capMs, networkMeanMs, networkDeviationMs } = race;
  const isArticles = Object.keys(given).length === 0;
  return raceStudy({
    name: 'aws',
    shows: 'five backoff rules in the race of the AWS article',
    comparison: { ...race, rules: articleRules({ baseMs, capMs }) },
    settings: isArticles
      ? 'The published comparison, reproduced.'
      : `Base ${numeral(baseMs)} ms, cap ${numeral(capMs)} ms; messages take ${numeral(networkMeanMs)} ± ${numeral(networkDeviationMs)} ms.`,
    draw: {
      'backoff-calls': figures.callsFigure,
      'backoff-time': figures.completionFigure,
      'backoff-exponential': figures.exponentialFigure,
    },
  });
}

/** The same race for rules that are not in the article. */
export const otherRulesStudy: Study = raceStudy({
  name: 'rules',
  shows: 'the same race for Memorystore, Celery and Ethernet',
  comparison: { rules: [...ARTICLE_RULES.filter(({ name }) => name === 'Full jitter'), ...OTHER_RULES] },
  settings: 'Memorystore’s rule is scaled to a hundredth of its time.',
  draw: { 'rules-calls': figures.otherCallsFigure, 'rules-time': figures.otherCompletionFigure },
});
