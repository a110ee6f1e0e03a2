import { globSync, readFileSync } from 'node:fs';
import type { Program } from '../src/rules/run.ts';

/** A program of several files, in a shape that public code has. */
export interface Row {
  readonly library: string;
  readonly name: string;
  /** What a run leaves of it: nothing, a part with a TODO, or all of it. */
  readonly expected: 'whole' | 'todo' | 'stays';
  /** A part of each TODO. */
  readonly reason: string;
  /** The last one is started. */
  readonly files: readonly Program[];
}

const FOLDER = `${import.meta.dirname}/programs/`;

function rowOf(library: string, text: string): Row {
  const [, name = '', expected = '', , reason = ''] = /^([^|\n]+) \| (\w+)(: (.*))?\n/.exec(text) ?? [];
  const files = text
    .split(/^--- /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { path: part.slice(0, end), text: `${part.slice(end + 1).trimEnd()}\n` };
    });
  return { library, name, expected: expected as Row['expected'], reason, files };
}

/** The rows of all files. */
export const ROWS: readonly Row[] = globSync('*.txt', { cwd: FOLDER })
  .sort()
  .flatMap((file) => {
    const [, ...rows] = readFileSync(FOLDER + file, 'utf8').split(/^=== /m);
    return rows.map((row) => rowOf(file.replace('.txt', ''), row));
  });
