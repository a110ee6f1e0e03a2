import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { BETWEEN, NOT_RUN } from './cell-names.ts';

/** The tests of a cell. */
interface Cell {
  passed: number;
  skipped: number;
  failed: number;
  /** Why it was not run at all. */
  why: string | undefined;
}

const WIDTH = 11;

function text({ passed, skipped, failed, why }: Cell): string {
  if (failed > 0) return `${failed} FAIL`;
  return why === undefined ? `${passed}/${skipped}` : '–';
}

/** Prints the grid after the tests: the passed and the skipped tests of each cell, and the reason of each skip. */
export default class GridReporter implements Reporter {
  readonly #grid = new Map<string, Map<string, Cell>>();
  readonly #runtimes = new Set<string>();
  /** Where a reason holds, by the reason. */
  readonly #reasons = new Map<string, Set<string>>();

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) for (const test of module.children.allTests()) this.#count(test);
    if (this.#grid.size === 0) return;
    const runtimes = [...this.#runtimes];
    const head = runtimes.map((name) => name.padStart(WIDTH)).join('');
    const names = [...this.#grid.keys()];
    const first = Math.max(...names.map(({ length }) => length));
    const lines = [...this.#grid].map(([row, cells]) => {
      const shown = runtimes.map((name) => {
        const cell = cells.get(name);
        return (cell === undefined ? '' : text(cell)).padStart(WIDTH);
      });
      return row.padEnd(first) + shown.join('');
    });
    const skips = [...this.#reasons].map(([reason, where]) => `  ${[...where].join('; ')}\n    ${reason}`);
    const title = 'The grid: tests passed/skipped in each cell; – for a cell that is not run';
    console.log([title, '', ' '.repeat(first) + head, ...lines, '', 'Skipped:', ...skips, ''].join('\n'));
  }

  #count(test: TestCase): void {
    const result = test.result();
    const { parent } = test;
    const [runtime, row] = parent.type === 'suite' ? parent.name.split(BETWEEN) : [];
    // Tests that a filter leaves out have no reason.
    const isLeftOut = result.state === 'skipped' && result.note === undefined;
    if (runtime === undefined || row === undefined || isLeftOut || result.state === 'pending') return;
    this.#runtimes.add(runtime);
    const cells = this.#grid.get(row) ?? new Map<string, Cell>();
    this.#grid.set(row, cells);
    const cell = cells.get(runtime) ?? { passed: 0, skipped: 0, failed: 0, why: undefined };
    cells.set(runtime, cell);
    cell[result.state] += 1;
    if (result.state !== 'skipped') return;
    const { note = '' } = result;
    if (test.name === NOT_RUN) cell.why = note;
    const where = this.#reasons.get(note) ?? new Set();
    this.#reasons.set(note, where.add(test.name === NOT_RUN ? `${runtime}, ${row}` : `${row}: ${test.name}`));
  }
}
