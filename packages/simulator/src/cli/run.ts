import { writeFile } from 'node:fs/promises';
import { ScenarioError } from '../check.ts';
import { STUDIES } from '../studies.ts';
import type { Study, StudyFigure, StudyResult } from '../study.ts';
import { csvText, tableText } from '../table.ts';
import { type Arguments, readArguments, UsageError } from './arguments.ts';
import { HELP } from './help.ts';
import { ProgressBar } from './progress.ts';
import { studyOfFile } from './scenario-file.ts';

/** Where a command writes to. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: NodeJS.WriteStream;
}

async function studyOf(subject: string): Promise<Study> {
  const known = STUDIES.find(({ name }) => name === subject);
  if (known !== undefined) return known;
  if (/[./\\]/.test(subject)) return studyOfFile(subject);
  const names = STUDIES.map(({ name }) => name).join(', ');
  throw new UsageError(`there is no study ${subject}; there are ${names}, and files of your own`);
}

/** `storm.svg`, or one for each figure: `storm-goodput.svg` beside the others. */
function svgFiles(path: string, figures: readonly StudyFigure[]): (readonly [path: string, svg: string])[] {
  const [only, ...others] = figures;
  if (only !== undefined && others.length === 0) return [[path, only.svg]];
  const stem = path.replace(/\.svg$/, '');
  return figures.map(({ name, svg }) => [`${stem}-${name}.svg`, svg]);
}

/** What is to be written, by the name of its file. */
function outputs(asked: Arguments, result: StudyResult): (readonly [path: string, text: string])[] {
  const files: (readonly [string, string])[] = [];
  if (asked.svg === '-' && result.figures.length > 1) {
    const names = result.figures.map(({ name }) => name).join(', ');
    throw new UsageError(`--svg - is for one figure, and here are several: ${names}`);
  }
  if (asked.svg !== undefined) files.push(...svgFiles(asked.svg, result.figures));
  if (asked.csv !== undefined) files.push([asked.csv, csvText(result.csv.columns, result.csv.rows)]);
  if (asked.json !== undefined) files.push([asked.json, `${JSON.stringify(result.data, null, 1)}\n`]);
  return files;
}

async function simulateAsAsked(asked: Arguments, subject: string, terminal: Terminal): Promise<void> {
  const study = await studyOf(subject);
  const bar = new ProgressBar(terminal.stderr, study.name);
  const result = study.run({ seed: asked.seed, onProgress: (share) => bar.show(share) });
  bar.clear();
  const files = outputs(asked, result);
  if (!files.some(([path]) => path === '-')) terminal.stdout.write(tableText(result.table));
  for (const [path, text] of files) {
    if (path === '-') {
      terminal.stdout.write(text);
    } else {
      await writeFile(path, text);
      terminal.stderr.write(`wrote ${path}\n`);
    }
  }
}

/**
 * The command `ebb-sim`. Answers what the process exits with: 0; 1 when the scenario cannot be run or a file
 * not be read or written; 2 when the command line makes no sense.
 */
export async function ebbSim(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const asked = readArguments(args);
    if (asked.help || asked.subject === undefined) terminal.stdout.write(HELP);
    else await simulateAsAsked(asked, asked.subject, terminal);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.stderr.write(`ebb-sim: ${error.message}\nebb-sim --help tells how it is used.\n`);
      return 2;
    }
    const known =
      error instanceof ScenarioError || (error as NodeJS.ErrnoException | undefined)?.code !== undefined;
    if (!known) throw error;
    terminal.stderr.write(`ebb-sim: ${(error as Error).message}\n`);
    return 1;
  }
}
