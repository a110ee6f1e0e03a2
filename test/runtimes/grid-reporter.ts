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

function textOf({ passed, skipped, failed, why }: Cell): string {
  if (failed > 0) return `${failed} FAIL`;
  return why === undefined ? `${passed}/${skipped}` : '–';
}

/** A map whose missing values are made. */
function made<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Rows, each with its columns; one line for all rows with the same columns. */
function* grouped(where: ReadonlyMap<string, ReadonlySet<string>>): Iterable<string> {
  const rows = new Map<string, string[]>();
  for (const [row, columns] of where) made(rows, [...columns].join(', '), () => []).push(row);
  for (const [columns, names] of rows) yield `    ${names.join('\n    ')}\n      in ${columns}`;
}

/** Prints the grid after the tests: the passed and the skipped tests of each cell, and the reason of each skip. */
export default class GridReporter implements Reporter {
  readonly #grid = new Map<string, Map<string, Cell>>();
  readonly #runtimes = new Set<string>();
  /** The rows and the runtimes of each reason. */
  readonly #reasons = new Map<string, Map<string, Set<string>>>();
  /** The rows that passed when they were played again, and what was wrong before. */
  readonly #again: string[] = [];

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) for (const test of module.children.allTests()) this.#count(test);
    if (this.#grid.size === 0) return;
    console.log(`\n${[...this.#table(), '', ...this.#again, '', ...this.#skips()].join('\n')}\n`);
  }

  *#table(): Iterable<string> {
    const runtimes = [...this.#runtimes];
    const first = Math.max(...[...this.#grid.keys()].map(({ length }) => length));
    yield 'Tests passed/skipped in each cell; – for a cell that is not run';
    yield ' '.repeat(first) + runtimes.map((name) => name.padStart(WIDTH)).join('');
    for (const [row, cells] of this.#grid) {
      const texts = runtimes.map((name) => {
        const cell = cells.get(name);
        return cell === undefined ? '' : textOf(cell);
      });
      yield row.padEnd(first) + texts.map((text) => text.padStart(WIDTH)).join('');
    }
    const count = { passed: 0, skipped: 0, failed: 0 };
    for (const cell of [...this.#grid.values()].flatMap((cells) => [...cells.values()])) {
      if (cell.failed > 0) count.failed += 1;
      else if (cell.why === undefined) count.passed += 1;
      else count.skipped += 1;
    }
    yield `${count.passed} cells passed, ${count.skipped} not run, ${count.failed} failed`;
  }

  *#skips(): Iterable<string> {
    yield 'Why a cell is not run, and why a test is skipped:';
    for (const [reason, where] of this.#reasons) {
      yield `  ${reason}`;
      yield* grouped(where);
    }
  }

  #count(test: TestCase): void {
    const { parent } = test;
    const result = test.result();
    const [runtime, row] = parent.type === 'suite' ? parent.name.split(BETWEEN) : [];
    // Tests that a filter leaves out have no reason.
    const isLeftOut = result.state === 'skipped' && result.note === undefined;
    if (runtime === undefined || row === undefined) return;
    // Without its runtime no test of a cell runs.
    const isBroken = parent.type === 'suite' && parent.errors().length > 0;
    if (isLeftOut && !isBroken) return;
    this.#runtimes.add(runtime);
    for (const { message } of test.annotations()) {
      this.#again.push(`Passed when played again: ${row} in ${runtime}, "${test.name}"`, `  ${message}`);
    }
    const cells = made(this.#grid, row, () => new Map<string, Cell>());
    const cell = made(cells, runtime, () => ({ passed: 0, skipped: 0, failed: 0, why: undefined }));
    if (isBroken || result.state === 'pending') cell.failed += 1;
    else cell[result.state] += 1;
    if (result.state !== 'skipped' || result.note === undefined) return;
    const isCell = test.name === NOT_RUN;
    if (isCell) cell.why = result.note;
    const where = made(this.#reasons, result.note, () => new Map<string, Set<string>>());
    // A test is skipped over every version of undici, if at all.
    const place = isCell ? row : `${row.split(', undici')[0]}, "${test.name}"`;
    made(where, place, () => new Set<string>()).add(runtime);
  }
}
