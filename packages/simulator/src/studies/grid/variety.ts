import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../../simulation/simulate.ts';
import { answeredPercent, percentText } from '../overload/percent.ts';
import type { Study, StudyResult } from '../study.ts';
import { mean } from './gains.ts';
import { pointsText } from './grid-table.ts';
import { BUDGET, NO_RETRIES, THROTTLE } from './schemes.ts';

/** A service and its clients, of a kind that a table has a row for. */
export interface VariedWorld {
  readonly kind: string;
  readonly name: string;
  readonly scenario: Omit<Scenario, 'policy'>;
  /** The options of all its policies. */
  readonly policy: FleetPolicy;
}

/** A run of a world with a scheme and a seed. */
interface VariedRun {
  readonly kind: string;
  readonly world: string;
  readonly seed: number;
  readonly scheme: string;
  readonly percent: number;
  readonly p99: number;
}

const SCHEMES: Readonly<Record<string, FleetPolicy>> = {
  [NO_RETRIES]: { maxRetries: 0 },
  [BUDGET]: { budget: { retryBudget: {} } },
  [THROTTLE]: { throttle: {} },
};
const COLUMNS = ['kind', 'world', 'seed', 'scheme', 'answered_percent', 'p99_ms'];
const SEEDS = 2;

export function runVaried(
  worlds: readonly VariedWorld[],
  seeds: readonly number[],
  onProgress?: (share: number) => void,
): VariedRun[] {
  return worlds.flatMap(({ kind, name, scenario, policy }, at) => {
    const runs = Object.entries(SCHEMES).flatMap(([scheme, own]) =>
      seeds.map((seed) => {
        const trace = simulate({ ...scenario, policy: { ...policy, ...own } }, { seed });
        return { kind, world: name, seed, scheme, percent: answeredPercent(trace), p99: trace.latencyMs.p99 };
      }),
    );
    onProgress?.((at + 1) / worlds.length);
    return runs;
  });
}

/** The points by which a scheme answers more than no retries, for each world and seed. */
function gainsOf(all: readonly VariedRun[], scheme: string): number[] {
  const plain = new Map(
    all.filter((run) => run.scheme === NO_RETRIES).map((run) => [`${run.world} ${run.seed}`, run.percent]),
  );
  return all
    .filter((run) => run.scheme === scheme)
    .map((run) => run.percent - (plain.get(`${run.world} ${run.seed}`) ?? Number.NaN));
}

const atLeast = (gains: readonly number[], points: number): string =>
  percentText((100 * gains.filter((gain) => gain >= points).length) / gains.length);

/** A row for each kind of world: what the schemes answer, and how the throttle stands beside no retries. */
export function variedResult(all: readonly VariedRun[]): StudyResult {
  const schemes = Object.keys(SCHEMES);
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const rowOf = (name: string, runs: readonly VariedRun[]): string[] => {
    const gains = gainsOf(runs, THROTTLE);
    const of = (scheme: string): VariedRun[] => runs.filter((run) => run.scheme === scheme);
    return [
      name,
      ...schemes.map((scheme) => percentText(mean(of(scheme).map(({ percent }) => percent)))),
      pointsText(Math.min(...gainsOf(runs, BUDGET))),
      pointsText(Math.min(...gains)),
      atLeast(gains, -1),
      atLeast(gains, -3),
      `${(mean(of(THROTTLE).map(({ p99 }) => p99)) / 1_000).toFixed(1)}\u00a0s`,
    ];
  };
  return {
    table: {
      columns: ['', ...schemes, `${BUDGET}: worst`, `${THROTTLE}: worst`, '≥ −1', '≥ −3', 'p99'],
      rows: [
        ...kinds.map((kind) =>
          rowOf(
            kind,
            all.filter((run) => run.kind === kind),
          ),
        ),
        rowOf('all', all),
      ],
      legend: [
        'First columns: answered, the mean of the worlds of this kind.',
        'worst: points more or less than no retries answer with the same seed, in the worst world and seed.',
        `≥ −1, ≥ −3: how often ${THROTTLE} answers at most so many points less than no retries. p99: of its answers.`,
      ].join('\n'),
    },
    figures: [],
    csv: {
      columns: COLUMNS,
      rows: all.map((run) => [run.kind, run.world, run.seed, run.scheme, run.percent, run.p99]),
    },
    data: all,
  };
}

/** A study of worlds that the grid does not have. */
export function variedStudy(name: string, shows: string, worlds: readonly VariedWorld[]): Study {
  return {
    name,
    shows,
    figures: [],
    run({ seed = 1, onProgress } = {}) {
      const seeds = Array.from({ length: SEEDS }, (_, at) => seed + at);
      return variedResult(runVaried(worlds, seeds, onProgress));
    },
  };
}
