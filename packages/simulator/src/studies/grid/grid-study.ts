import type { Study, StudyResult } from '../study.ts';
import { gridFigure } from './grid-figure.ts';
import { gridTable } from './grid-table.ts';
import { linesOf, runWorlds, type WorldRuns } from './runs.ts';
import { SCHEMES } from './schemes.ts';
import { SMALL } from './worlds.ts';

const SEEDS = 2;

/** The result of a study with these runs. */
export function gridResult(all: readonly WorldRuns[]): StudyResult {
  return {
    table: gridTable(all),
    figures: [{ name: 'grid', svg: gridFigure(all) }],
    csv: linesOf(all),
    data: all,
  };
}

/** A third of the worlds. The recorded runs of all of them: `cli/grid.ts`. */
export const grid: Study = {
  name: 'grid',
  shows: '180 services in trouble: what each scheme adds or takes',
  figures: ['grid'],
  run({ seed = 1, onProgress } = {}) {
    const seeds = Array.from({ length: SEEDS }, (_, at) => seed + at);
    return gridResult(runWorlds(SMALL, SCHEMES, seeds, onProgress));
  },
};
