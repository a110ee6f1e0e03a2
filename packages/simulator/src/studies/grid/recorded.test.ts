import { expect, test } from 'vitest';
import { recordedRuns } from '../../cli/recorded-grid.ts';
import { runWorlds } from './runs.ts';
import { SCHEMES } from './schemes.ts';
import { WORLDS } from './worlds.ts';

/** Every so many worlds. It shares no factor with the numbers of the grid, so all their values are met. */
const EVERY = 23;
const SEEDS = [1, 2];

test('some worlds of the recorded grid, run again: the same numbers', () => {
  const worlds = WORLDS.filter((_, at) => at % EVERY === 0);
  const recorded = recordedRuns()
    .filter((_, at) => at % EVERY === 0)
    .map(({ world, percents }) => ({
      world,
      percents: Object.fromEntries(
        Object.entries(percents).map(([name, own]) => [name, own.slice(0, SEEDS.length)]),
      ),
    }));
  expect(
    runWorlds(worlds, SCHEMES, SEEDS),
    'a rule has changed: pnpm example packages/simulator/src/cli/grid.ts --measure runs the grid anew',
  ).toEqual(recorded);
}, 120_000);
