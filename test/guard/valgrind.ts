import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export const hasValgrind: boolean = spawnSync('valgrind', ['--version']).status === 0;

/** With these V8 does all its work in one thread, in the same order in every run. */
export const REPEATABLE: readonly string[] = [
  '--no-warnings',
  ...['--random-seed=1', '--hash-seed=1', '--single-threaded', '--predictable'],
];

/** With these each compiler comes after a tenth of the calls that it waits for by default: valgrind is slow. */
export const WARM_SOONER: readonly string[] = [
  ...['--invocation-count-for-maglev=40', '--invocation-count-for-turbofan=300'],
  '--minimum-invocations-after-ic-update=50',
];

/** Without NODE_OPTIONS, a compile cache and the like. */
export const env: NodeJS.ProcessEnv = { PATH: process.env.PATH };

/** What a program printed, and the instructions up to each of its marks. The last count is that after the last mark. */
export interface Counted {
  readonly printed: string;
  readonly instructions: readonly number[];
}

/** The machine instructions of a program of Node. */
export async function countInstructions(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Counted> {
  const folder = await mkdtemp(join(tmpdir(), 'ebb-cost-'));
  try {
    const valgrind = ['--quiet', '--tool=callgrind', `--callgrind-out-file=${join(folder, 'out')}`];
    // The function that `mark` calls. After each call valgrind writes out.1, out.2 …, and counts from zero; at the end out.
    const marks = '--dump-after=node::Uptime(*';
    const { stdout } = await execute('valgrind', [...valgrind, marks, process.execPath, ...args], {
      env,
      ...options,
    });
    const marked = (await readdir(folder)).filter((file) => /^out\.\d+$/.test(file)).length;
    const files = [...Array.from({ length: marked }, (_, at) => `out.${at + 1}`), 'out'];
    const counts = files.map(async (file) => {
      return Number(/^summary: (\d+)/m.exec(await readFile(join(folder, file), 'utf8'))?.[1]);
    });
    return { printed: stdout, instructions: await Promise.all(counts) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
