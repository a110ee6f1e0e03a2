// A part of `check timers`, which needs no further packages.
import { here, ofTheTests } from '../timers/fakes.ts';
import { ofVitest, playInVitest } from '../timers/in-vitest.ts';
import { describeCells, playInProcess } from '../timers/matrix.ts';
import type { When } from '../timers/play.ts';

const CELLS: Readonly<Record<string, When>> = {
  "sinon's timers": 'before ebb is loaded',
  Jest: 'after ebb is loaded',
  'node:test': 'after ebb is loaded',
  'a stub that calls at once': 'after ebb is loaded',
};

for (const row of [...here, ...ofTheTests]) {
  const when = CELLS[row.name];
  if (when !== undefined) describeCells(row, when, 'Node', playInProcess);
}
for (const row of ofVitest)
  for (const when of ['before ebb is loaded', 'after ebb is loaded'] as const)
    describeCells(row, when, 'Node', playInVitest);
