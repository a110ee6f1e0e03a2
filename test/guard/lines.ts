import { packageOf, sources, textOf } from '../sources.ts';

/** What a program with any of the clients may load. */
const COUNTED = /^(core|fetch|axios|undici)$/;

/** What tests alone load, and what changes with the services of others. */
const LEFT_OUT = /\/(presets|faults|testing)[/.]/;

/** Without blank lines and comments. */
function linesOf(path: string): number {
  const lines = textOf.get(path)?.split('\n') ?? [];
  return lines.filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line)).length;
}

/** How many lines of code core and the clients have, in how many files. Reported only, so that no one folds lines for a figure. */
export function codeLines(): { readonly files: number; readonly lines: number } {
  const counted = sources.filter((path) => COUNTED.test(packageOf(path)) && !LEFT_OUT.test(path));
  return { files: counted.length, lines: counted.reduce((sum, path) => sum + linesOf(path), 0) };
}
