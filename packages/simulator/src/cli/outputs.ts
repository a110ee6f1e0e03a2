import { type Stats, statSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Study, StudyResult } from '../studies/study.ts';
import { csvText } from '../studies/table.ts';
import { type Arguments, UsageError } from './arguments.ts';

/** An output file that cannot be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** The file name that means the standard output. */
export const STDOUT = '-';

/** A text to write, and its file. */
export interface Output {
  /** The option that asked for it. */
  readonly option: string;
  readonly path: string;
  textOf(result: StudyResult): string;
}

/** The file of an option. The device names of the standard output become `-`. */
function fileOf(option: string, path: string): string {
  if (path === '') throw new UsageError(`${option} must be a file, got an empty name`);
  return ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'].includes(path) ? STDOUT : path;
}

/**
 * Returns a file, `storm.svg`, or a file for each of several figures, such as `storm-goodput.svg`. In a folder each figure has its own
 * name.
 */
function svgOutputs(path: string, { figures }: Study): Output[] {
  if (path === STDOUT && figures.length > 1)
    throw new UsageError(`--svg - takes one figure, and this study has several: ${figures.join(', ')}`);
  const stem = path.replace(/\.svg$/, '');
  const fileOfFigure = (figure: string): string => {
    if (isFolder(path)) return join(path, `${figure}.svg`);
    return figures.length === 1 ? path : `${stem}-${figure}.svg`;
  };
  return figures.map((figure, at) => ({
    option: '--svg',
    path: fileOfFigure(figure),
    textOf: (result) => result.figures[at]?.svg ?? '',
  }));
}

/** True for an existing folder, and for a name that only a folder can have. */
function isFolder(path: string): boolean {
  return /[/\\]$/.test(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * The outputs besides the table.
 * @throws UsageError if two outputs or several figures write to the standard output
 */
export function outputsOf({ svg, csv, json }: Arguments, study: Study): Output[] {
  const outputs: Output[] = [];
  if (svg !== undefined) outputs.push(...svgOutputs(fileOf('--svg', svg), study));
  if (csv !== undefined) {
    const textOf = ({ csv }: StudyResult): string => csvText(csv.columns, csv.rows);
    outputs.push({ option: '--csv', path: fileOf('--csv', csv), textOf });
  }
  if (json !== undefined) {
    const textOf = ({ data }: StudyResult): string => `${JSON.stringify(data, null, 1)}\n`;
    outputs.push({ option: '--json', path: fileOf('--json', json), textOf });
  }
  const [one, other] = outputs.filter(({ path }) => path === STDOUT);
  if (one && other)
    throw new UsageError(
      `${one.option} and ${other.option} both write to the standard output; give one of them a file`,
    );
  return outputs;
}

/** The file at a path; `undefined` if there is none. */
async function look(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Why an output cannot be written; `undefined` if it can. */
async function obstacle(path: string, there: Stats | undefined): Promise<string | undefined> {
  const directory = dirname(path);
  if (there?.isDirectory() || (there === undefined && /[/\\]$/.test(path))) return `${path} is a directory`;
  if (there === undefined) {
    const around = await look(directory);
    if (around === undefined) return `there is no directory ${directory}`;
    if (!around.isDirectory()) return `${directory} is not a directory`;
  }
  await access(there === undefined ? directory : path, constants.W_OK);
  return undefined;
}

/**
 * Checks that every output can be written, because the run after this check may take hours.
 * @throws OutputError for a path that cannot be written
 * @throws UsageError if two outputs, or an output and the scenario, are the same file
 */
export async function checkOutputs(outputs: readonly Output[], scenario: string): Promise<void> {
  const taken = new Map([[keyOf(scenario, await look(scenario)), 'the scenario']]);
  for (const { option, path } of outputs) {
    if (path === STDOUT) continue;
    let there: Stats | undefined;
    let why: string | undefined;
    try {
      there = await look(path);
      why = await obstacle(path, there);
    } catch (error) {
      why = `${path} cannot be written: ${(error as Error).message}`;
    }
    if (why !== undefined) throw new OutputError(`${option}: ${why}`);
    // Several outputs may go to one device.
    if (there !== undefined && !there.isFile()) continue;
    const key = keyOf(path, there);
    const other = taken.get(key);
    if (other !== undefined) throw new UsageError(`${option}: ${path} is the file of ${other}`);
    taken.set(key, option);
  }
}

/** The same key for all names of a file. */
function keyOf(path: string, there: Stats | undefined): string {
  return there === undefined ? resolve(path) : `${there.dev}:${there.ino}`;
}
