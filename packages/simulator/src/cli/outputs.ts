import type { Stats } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Study, StudyResult } from '../studies/study.ts';
import { csvText } from '../studies/table.ts';
import { type Arguments, UsageError } from './arguments.ts';

/** A file that cannot be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** The standard output, by the name that it has among files. */
export const STDOUT = '-';

/** What is to be written, and where to. */
export interface Output {
  /** The option that asks for it. */
  readonly option: string;
  readonly path: string;
  textOf(result: StudyResult): string;
}

/** The file of an option; the names of the standard output among devices are `-`, too. */
function fileOf(option: string, path: string): string {
  if (path === '') throw new UsageError(`${option} must be a file, got an empty name`);
  return ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'].includes(path) ? STDOUT : path;
}

/** `storm.svg`, or one for each figure: `storm-goodput.svg` beside the others. */
function svgOutputs(path: string, { figures }: Study): Output[] {
  if (path === STDOUT && figures.length > 1)
    throw new UsageError(`--svg - is for one figure, and here are several: ${figures.join(', ')}`);
  const stem = path.replace(/\.svg$/, '');
  return figures.map((figure, at) => ({
    option: '--svg',
    path: figures.length === 1 ? path : `${stem}-${figure}.svg`,
    textOf: (result) => result.figures[at]?.svg ?? '',
  }));
}

/**
 * What was asked for besides the table.
 * @throws UsageError for two that ask for the standard output, and for several figures there
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
      `${one.option} and ${other.option} both ask for the standard output; one of them needs a file`,
    );
  return outputs;
}

/** What there is at a path; `undefined` for nothing. */
async function look(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Why an output cannot be written; `undefined` if it can. */
async function hindrance(path: string, there: Stats | undefined): Promise<string | undefined> {
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
 * Makes sure that every output can be written, before hours are spent on what is in it.
 * @throws OutputError for a path that cannot be written
 * @throws UsageError for a file that two outputs, or the scenario and an output, have in common
 */
export async function checkOutputs(outputs: readonly Output[], scenario: string): Promise<void> {
  const taken = new Map([[keyOf(scenario, await look(scenario)), 'the scenario']]);
  for (const { option, path } of outputs) {
    if (path === STDOUT) continue;
    let there: Stats | undefined;
    let why: string | undefined;
    try {
      there = await look(path);
      why = await hindrance(path, there);
    } catch (error) {
      why = `${path} cannot be written: ${(error as Error).message}`;
    }
    if (why !== undefined) throw new OutputError(`${option}: ${why}`);
    // Devices can be written more than once.
    if (there !== undefined && !there.isFile()) continue;
    const key = keyOf(path, there);
    const other = taken.get(key);
    if (other !== undefined) throw new UsageError(`${option}: ${path} is the file of ${other}`);
    taken.set(key, option);
  }
}

/** The same for every name of one file. */
function keyOf(path: string, there: Stats | undefined): string {
  return there === undefined ? resolve(path) : `${there.dev}:${there.ino}`;
}
