import { gainOf, meanOf } from '../../../packages/simulator/src/studies/grid/gains.ts';
import { OUTSIDE } from '../../../packages/simulator/src/studies/grid/outside.ts';
import { PARTS, runParts, TENANTS } from '../../../packages/simulator/src/studies/grid/parts.ts';
import { runWorlds } from '../../../packages/simulator/src/studies/grid/runs.ts';
import { NO_RETRIES, SCHEMES, THROTTLE } from '../../../packages/simulator/src/studies/grid/schemes.ts';
import { cellsOf, LESS, runVaried } from '../../../packages/simulator/src/studies/grid/variety.ts';
import { SMALL, WORLDS } from '../../../packages/simulator/src/studies/grid/worlds.ts';

const SEEDS = [1, 2];
/** Every so many worlds. It shares no factor with the numbers of fleets and services, so all their values are met. */
const EVERY = 5;
/** Requests a second: two parts at larger loads take as long as all else together. */
const MOST_REQUESTS = 50;

/** What a rule answers in some worlds, beside no retries with the same seed. */
interface Judged {
  /** In percent. */
  readonly answered: number;
  /** The share of the worlds in which the worst seed is at most a point below, in percent. */
  readonly near: number;
  /** The worst world and seed, in points. */
  readonly worst: number;
}

function judged(answered: number, gains: readonly number[]): Judged {
  const near = gains.filter((gain) => gain >= -LESS).length;
  return { answered, near: (100 * near) / gains.length, worst: Math.min(...gains) };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const some = <World>(worlds: readonly World[]): World[] => worlds.filter((_, at) => at % EVERY === 0);

function judgedInGrid(worlds: typeof WORLDS, seeds: readonly number[]): Judged {
  const schemes = Object.fromEntries([NO_RETRIES, THROTTLE].map((name) => [name, SCHEMES[name] ?? {}]));
  const all = runWorlds(worlds, schemes, seeds);
  return judged(
    meanOf(all, THROTTLE),
    all.map((runs) => gainOf(runs, THROTTLE)),
  );
}

/** All worlds of the grid: it takes a minute and a half. */
export const WHOLE = { grid: () => judgedInGrid(WORLDS, [1, 2, 3, 4, 5]) };

export const JUDGED: Readonly<Record<string, () => Judged>> = {
  grid: () => judgedInGrid(SMALL, SEEDS),
  outside() {
    const all = runVaried(some(OUTSIDE), SEEDS, undefined, [NO_RETRIES, THROTTLE]);
    const own = all.filter(({ scheme }) => scheme === THROTTLE);
    return judged(
      mean(own.map(({ percent }) => percent)),
      cellsOf(all, THROTTLE).map(({ gain }) => gain),
    );
  },
  parts() {
    // As without `classOf`: paths have classes of their own, tenants of a path do not.
    const small = [...PARTS, ...TENANTS].filter(({ scenario: { clients } }) => {
      return 'requestsPerSecond' in clients && clients.requestsPerSecond <= MOST_REQUESTS;
    });
    const all = some(small).map((world) => {
      const scheme = PARTS.includes(world) ? 'a class for each path' : 'one class';
      return runParts([world], SEEDS).filter((run) => run.scheme === scheme);
    });
    return judged(
      mean(all.flat().map(({ goodPercent }) => goodPercent)),
      all.map((runs) => Math.min(...runs.map(({ points }) => points))),
    );
  },
};
