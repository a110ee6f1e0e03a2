import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ScenarioError } from '../scenario/check.ts';
import { escapeControls, escapeLines } from '../studies/escape-controls.ts';
import { articleStudy } from '../studies/race/race-study.ts';
import { STUDIES } from '../studies/studies.ts';
import type { Study } from '../studies/study.ts';
import { tableText } from '../studies/table.ts';
import { type Arguments, readArguments, UsageError } from './arguments.ts';
import { HELP } from './help.ts';
import { checkOutputs, OutputError, outputsOf, STDOUT } from './outputs.ts';
import { ProgressBar } from './progress.ts';
import { studyOfFile } from './scenario-file.ts';
import { INTERRUPTED, stopOnInterrupt } from './stop-on-interrupt.ts';

/** The version of this package, whether from its sources or from a build. */
function version(): string {
  const { version } = createRequire(import.meta.url)('@ebb/simulator/package.json') as {
    readonly version: string;
  };
  return version;
}

/** The streams that the command writes to. */
export interface Terminal {
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
}

async function studyOf({ race }: Arguments, subject: string): Promise<Study> {
  if (race !== undefined) return articleStudy(race);
  const known = STUDIES.find(({ name }) => name === subject);
  if (known !== undefined) return known;
  if (/[./\\]/.test(subject)) return studyOfFile(subject);
  const names = STUDIES.map(({ name }) => name).join(', ');
  throw new UsageError(`there is no study ${subject}; there are ${names}, or give a file`);
}

async function simulateAsAsked(asked: Arguments, subject: string, terminal: Terminal): Promise<void> {
  const study = await studyOf(asked, subject);
  const outputs = outputsOf(asked, study);
  await checkOutputs(outputs, subject);
  const bar = new ProgressBar(terminal.stderr, study.name);
  let result: ReturnType<Study['run']>;
  try {
    result = stopOnInterrupt(() => study.run({ seed: asked.seed, onProgress: (share) => bar.show(share) }));
  } finally {
    bar.clear();
  }
  if (!outputs.some(({ path }) => path === STDOUT)) terminal.stdout.write(tableText(result.table));
  for (const { path, textOf } of outputs) {
    if (path === STDOUT) {
      const text = textOf(result);
      terminal.stdout.write(terminal.stdout.isTTY ? escapeLines(text) : text);
    } else {
      await writeFile(path, textOf(result));
      terminal.stderr.write(`wrote ${escapeControls(path)}\n`);
    }
  }
}

/** The exit code after Ctrl-C: 128 plus the number of SIGINT. */
const INTERRUPTED_CODE = 130;

/**
 * The command `ebb-sim`. Returns the exit code: 0 for success, 1 for a wrong scenario or a file that cannot be read or
 * written, 2 for a wrong command line, 130 after Ctrl-C.
 */
export async function ebbSim(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const asked = readArguments(args);
    if (asked.help) terminal.stdout.write(HELP);
    else if (asked.version) terminal.stdout.write(`${version()}\n`);
    else if (asked.subject === undefined) terminal.stdout.write(HELP);
    else await simulateAsAsked(asked, asked.subject, terminal);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.stderr.write(`ebb-sim: ${escapeControls(error.message)}\nSee ebb-sim --help.\n`);
      return 2;
    }
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    if (code === INTERRUPTED) {
      // Clears the ^C that the terminal has shown.
      if (terminal.stderr.isTTY) terminal.stderr.write('\r\x1b[K');
      return INTERRUPTED_CODE;
    }
    const known = error instanceof ScenarioError || error instanceof OutputError || code !== undefined;
    if (!known) throw error;
    terminal.stderr.write(`ebb-sim: ${escapeControls((error as Error).message)}\n`);
    return 1;
  }
}
