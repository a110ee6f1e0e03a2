import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Figures } from './compare.ts';
import type { Counts } from './counters.ts';
import { countInstructions, env, REPEATABLE, WARM_SOONER } from './valgrind.ts';

const execute = promisify(execFile);

const FLAGS = [
  ...REPEATABLE,
  '--expose-gc',
  // Megabytes, more than a round allocates: no garbage collection falls into one.
  ...['--min-semi-space-size=64', '--max-semi-space-size=64'],
  // A full collection discards optimised code, and a slow machine would have one sooner.
  ...['--initial-old-space-size=1000', '--no-memory-reducer'],
];

/** How the code of a program runs while its instructions are counted. */
const CODE: Readonly<Record<'interpreted' | 'compiled', readonly string[]>> = {
  /** Repeatable to the last per cent. */
  interpreted: ['--jitless'],
  /** As users run it. */
  compiled: WARM_SOONER,
};

interface Pair<Figure> {
  readonly bare: Figure;
  readonly ebb: Figure;
}

/** `program` is a bundle of measured.ts and the subjects of one client. */
async function measured<Result>(program: string, mode: string, subject: string): Promise<Result> {
  return JSON.parse((await execute(process.execPath, [...FLAGS, program, mode, subject], { env })).stdout);
}

/** The machine instructions of one request. */
async function instructionsOf(
  program: string,
  subject: string,
  code: keyof typeof CODE,
): Promise<Pair<number>> {
  const { printed, instructions } = await countInstructions([
    ...FLAGS,
    ...CODE[code],
    program,
    code,
    subject,
  ]);
  const { requests } = JSON.parse(printed);
  // The first count is that of the start and the warm-up, the last that of the end.
  const rounds = instructions.slice(1, -1).map((count) => count / requests);
  if (rounds.length < 4) throw new Error('valgrind does not see the marks');
  const least = (first: number): number => Math.min(...rounds.filter((_, at) => at % 2 === first));
  return { bare: least(0), ebb: least(1) };
}

/** What ebb adds to one request of a subject. */
export async function costOf(
  program: string,
  subject: string,
  countsInstructions: boolean,
): Promise<Figures> {
  const added = ({ bare, ebb }: Pair<number>): number => Math.round(ebb - bare);
  const counts = await measured<Pair<Counts>>(program, 'counts', subject);
  const { bare, ebb } = counts;
  const counted = async (): Promise<Figures> => {
    const compiled = await instructionsOf(program, subject, 'compiled');
    const instructions = added(await instructionsOf(program, subject, 'interpreted'));
    return { instructions, compiled: added(compiled), withBare: Math.round(compiled.ebb) };
  };
  return {
    ...(countsInstructions ? await counted() : {}),
    bytes: added(await measured<Pair<number>>(program, 'bytes', subject)),
    promises: ebb.promises - bare.promises,
    timers: ebb.timers - bare.timers,
    clockReads: ebb.clockReads - bare.clockReads,
    abortListeners: ebb.abortListeners - bare.abortListeners,
  };
}
