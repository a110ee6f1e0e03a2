import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cost } from './compare.ts';
import type { Counts } from './counters.ts';

const execute = promisify(execFile);

const FLAGS = [
  '--no-warnings',
  '--expose-gc',
  // V8 does all its work in one thread, in the same order in every run.
  ...['--random-seed=1', '--hash-seed=1', '--single-threaded', '--predictable'],
  // Megabytes, more than a round allocates: no garbage collection falls into one.
  ...['--min-semi-space-size=64', '--max-semi-space-size=64'],
  // A full collection discards optimised code, and a slow machine would have one sooner.
  ...['--initial-old-space-size=1000', '--no-memory-reducer'],
];
/** Without NODE_OPTIONS, a compile cache and the like. */
const env = { PATH: process.env.PATH };

export const hasValgrind: boolean = spawnSync('valgrind', ['--version']).status === 0;

interface Pair<Figure> {
  readonly bare: Figure;
  readonly ebb: Figure;
}

/** `program` is a bundle of measured.ts and the subjects of one client. */
async function measured<Figures>(program: string, mode: string, subject: string): Promise<Figures> {
  return JSON.parse((await execute(process.execPath, [...FLAGS, program, mode, subject], { env })).stdout);
}

/**
 * The machine instructions of one request. The code is interpreted: compiled code is repeatable too, but it takes 20,000
 * requests to settle, and a small change can move what the compiler inlines.
 */
async function instructionsOf(program: string, subject: string): Promise<Pair<number>> {
  const folder = await mkdtemp(join(tmpdir(), 'ebb-cost-'));
  try {
    const valgrind = ['--quiet', '--tool=callgrind', `--callgrind-out-file=${join(folder, 'out')}`];
    // The function that `mark` calls. After each call valgrind writes out.1, out.2 …, and counts from zero.
    const marks = '--dump-after=node::Uptime(*';
    const node = [process.execPath, ...FLAGS, '--jitless', program, 'instructions', subject];
    const { requests } = JSON.parse(
      (await execute('valgrind', [...valgrind, marks, ...node], { env })).stdout,
    );
    const rounds: number[] = [];
    const files = (await readdir(folder)).filter((file) => /^out\.\d+$/.test(file));
    for (let at = 1; at <= files.length; at += 1) {
      const text = await readFile(join(folder, `out.${at}`), 'utf8');
      rounds.push(Number(/^summary: (\d+)/m.exec(text)?.[1]) / requests);
    }
    if (rounds.length < 3) throw new Error(`valgrind does not see the calls of ${marks}`);
    // The first count is that of the start and the warm-up.
    const least = (first: number): number =>
      Math.min(...rounds.filter((_, at) => at > 0 && at % 2 === first));
    return { bare: least(1), ebb: least(0) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What ebb adds to one request of a subject. */
export async function costOf(program: string, subject: string, countsInstructions: boolean): Promise<Cost> {
  const added = ({ bare, ebb }: Pair<number>): number => Math.round(ebb - bare);
  const counts = await measured<Pair<Counts>>(program, 'counts', subject);
  const { bare, ebb } = counts;
  return {
    ...(countsInstructions ? { instructions: added(await instructionsOf(program, subject)) } : {}),
    bytes: added(await measured<Pair<number>>(program, 'bytes', subject)),
    promises: ebb.promises - bare.promises,
    timers: ebb.timers - bare.timers,
    clockReads: ebb.clockReads - bare.clockReads,
    abortListeners: ebb.abortListeners - bare.abortListeners,
  };
}
