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
export interface VariedRun {
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
  schemes: readonly string[] = Object.keys(SCHEMES),
): VariedRun[] {
  return worlds.flatMap(({ kind, name, scenario, policy }, at) => {
    const runs = schemes.flatMap((scheme) =>
      seeds.map((seed) => {
        const trace = simulate({ ...scenario, policy: { ...policy, ...SCHEMES[scheme] } }, { seed });
        return { kind, world: name, seed, scheme, percent: answeredPercent(trace), p99: trace.latencyMs.p99 };
      }),
    );
    onProgress?.((at + 1) / worlds.length);
    return runs;
  });
}

/** In points: a scheme that answers more than this below no retries is worse than they are. */
export const LESS = 1;
const MUCH_LESS = 3;

/** A world, and the points by which a scheme answers more than no retries with the same seed, in the worst seed. */
interface VariedCell {
  readonly kind: string;
  readonly world: string;
  readonly gain: number;
}

/** The worlds, each once. */
export function cellsOf(all: readonly VariedRun[], scheme: string): VariedCell[] {
  const keyOf = ({ kind, world, seed }: VariedRun): string => JSON.stringify([kind, world, seed]);
  const plain = new Map(
    all.filter((run) => run.scheme === NO_RETRIES).map((run) => [keyOf(run), run.percent]),
  );
  const cells = new Map<string, VariedCell>();
  for (const run of all.filter((one) => one.scheme === scheme)) {
    const { kind, world } = run;
    const name = JSON.stringify([kind, world]);
    const gain = run.percent - (plain.get(keyOf(run)) ?? Number.NaN);
    cells.set(name, { kind, world, gain: Math.min(gain, cells.get(name)?.gain ?? gain) });
  }
  return [...cells.values()];
}

const gainsOf = (all: readonly VariedRun[], scheme: string): number[] =>
  cellsOf(all, scheme).map(({ gain }) => gain);

const atLeast = (gains: readonly number[], points: number): string =>
  percentText((100 * gains.filter((gain) => gain >= points).length) / gains.length);

const worstText = (gains: readonly number[]): string =>
  gains.length === 0 ? '' : pointsText(Math.min(...gains));

/** A figure of the runs of such worlds. */
interface VariedFigure {
  readonly name: string;
  readonly svgOf: (all: readonly VariedRun[]) => string;
}

/** A change of the policy for worlds where the throttle is worse than no retries. Its runs have its name as their scheme. */
export interface Remedy {
  readonly name: string;
  readonly policyOf: (policy: FleetPolicy) => FleetPolicy;
}

/** The parts of a study of such worlds beside its table. */
interface VariedMore {
  readonly figures?: readonly VariedFigure[];
  readonly remedy?: Remedy;
}

/** The worlds in which the throttle is worse than no retries, the worst first. */
function lowOf(all: readonly VariedRun[]): VariedCell[] {
  return cellsOf(all, THROTTLE)
    .filter(({ gain }) => gain < -LESS)
    .sort((one, other) => one.gain - other.gain);
}

/** Runs the worlds in which the throttle is worse once more, with what is to be done there. */
function runRemedy(
  worlds: readonly VariedWorld[],
  all: readonly VariedRun[],
  { name, policyOf }: Remedy,
  seeds: readonly number[],
): VariedRun[] {
  const low = lowOf(all);
  const changed = worlds
    .filter((world) => low.some((cell) => cell.kind === world.kind && cell.world === world.name))
    .map((world) => ({ ...world, policy: policyOf(world.policy) }));
  return runVaried(changed, seeds, undefined, [THROTTLE]).map((run) => ({ ...run, scheme: name }));
}

/**
 * A row for each kind of world: what the schemes answer, and how the throttle stands beside no retries. Then a row for each world where
 * the throttle is worse than they are.
 */
export function variedResult(
  all: readonly VariedRun[],
  { figures = [], remedy }: VariedMore = {},
): StudyResult {
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
      atLeast(gains, -LESS),
      atLeast(gains, -MUCH_LESS),
      `${(mean(of(THROTTLE).map(({ p99 }) => p99)) / 1_000).toFixed(1)}\u00a0s`,
      ...(remedy ? [worstText(gainsOf(runs, remedy.name))] : []),
    ];
  };
  const low = lowOf(all);
  return {
    table: {
      columns: [
        ...['', ...schemes, `${BUDGET}: worst`, `${THROTTLE}: worst`, '≥ −1', '≥ −3', 'p99'],
        ...(remedy ? [remedy.name] : []),
      ],
      rows: [
        ...kinds.map((kind) =>
          rowOf(
            kind,
            all.filter((run) => run.kind === kind),
          ),
        ),
        rowOf('all', all),
        ...low.map(({ kind, world }) =>
          rowOf(
            world.startsWith(kind) ? world : `${kind}, ${world}`,
            all.filter((run) => run.kind === kind && run.world === world),
          ),
        ),
      ],
      legend: [
        'First columns: answered, the mean of the worlds of this kind.',
        'worst: points more or less than no retries answer with the same seed, in the worst world and seed.',
        `≥ −1, ≥ −3: the share of the worlds where ${THROTTLE} answers at most so many points less, in the worst seed. p99: of its answers.`,
        `Lines below all: the ${low.length} of ${cellsOf(all, THROTTLE).length} worlds where it answers over a point less.`,
        ...(remedy ? [`${remedy.name}: worst, in these worlds.`] : []),
      ].join('\n'),
    },
    figures: figures.map(({ name, svgOf }) => ({ name, svg: svgOf(all) })),
    csv: {
      columns: COLUMNS,
      rows: all.map((run) => [run.kind, run.world, run.seed, run.scheme, run.percent, run.p99]),
    },
    data: all,
  };
}

/** A study of worlds that the grid does not have. */
export function variedStudy(
  name: string,
  shows: string,
  worlds: readonly VariedWorld[],
  more: VariedMore = {},
): Study {
  const { figures = [], remedy } = more;
  return {
    name,
    shows,
    figures: figures.map((figure) => figure.name),
    run({ seed = 1, onProgress } = {}) {
      const seeds = Array.from({ length: SEEDS }, (_, at) => seed + at);
      const all = runVaried(worlds, seeds, onProgress);
      return variedResult([...all, ...(remedy ? runRemedy(worlds, all, remedy, seeds) : [])], more);
    },
  };
}
