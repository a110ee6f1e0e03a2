import { readFileSync } from 'node:fs';
import { grid, gridResult } from '../studies/grid/grid-study.ts';
import { runsIn, type WorldRuns } from '../studies/grid/runs.ts';
import type { Study } from '../studies/study.ts';

/** The recorded runs of all worlds: eight seeds each. */
export const RECORDED: URL = new URL('../../data/grid.csv', import.meta.url);

export function recordedRuns(): WorldRuns[] {
  return runsIn(readFileSync(RECORDED, 'utf8'));
}

/** The study of the grid over the recorded runs. */
export const recordedGrid: Study = { ...grid, run: () => gridResult(recordedRuns()) };
