// What the import of each adapter, as it is built, adds to the start of a program that imports its client alone.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figures } from './compare.ts';
import { countInstructions, env, REPEATABLE } from './valgrind.ts';

const execute = promisify(execFile);

/** The import of the client, by adapter. */
const CLIENTS: Readonly<Record<string, string>> = {
  '@ebb/fetch': '',
  '@ebb/axios': `import 'axios';`,
  '@ebb/undici': `import 'undici';`,
};

export const ADAPTERS: readonly string[] = Object.keys(CLIENTS);

/** As many as it takes until each program had the caches of the machine to itself once. */
const STARTS = 15;

/** Programs are evaluated in the folder of the tests, which have all clients. */
const cwd = join(import.meta.dirname, '..');

const args = (program: string): string[] => ['--input-type=module', '--eval', program];

async function filesOf(program: string): Promise<number> {
  const count = `
    let files = 0;
    process.getBuiltinModule('module').registerHooks({
      load(url, context, next) {
        if (url.startsWith('file:')) files += 1;
        return next(url, context);
      },
    });
    process.on('exit', () => console.log(files));`;
  const hooks = `data:text/javascript,${encodeURIComponent(count)}`;
  const { stdout } = await execute(process.execPath, ['--import', hooks, ...args(program)], { cwd, env });
  return Number(stdout);
}

/** The CPU time of all threads from the start of the process until all is imported. */
async function msOf(program: string): Promise<number> {
  const timed = `${program} const { user, system } = process.cpuUsage(); console.log((user + system) / 1_000);`;
  return Number((await execute(process.execPath, args(timed), { cwd, env })).stdout);
}

async function instructionsOf(program: string): Promise<number> {
  const { instructions } = await countInstructions([...REPEATABLE, ...args(program)], { cwd });
  return instructions.reduce((sum, count) => sum + count, 0);
}

/** The figures of IMPORTS. */
export async function importOf(adapter: string, countsInstructions: boolean): Promise<Figures> {
  const built = join(cwd, 'node_modules', adapter, 'dist/index.js');
  if (!existsSync(built)) throw new Error(`${adapter} is not built: run pnpm build`);
  const bare = CLIENTS[adapter] ?? '';
  const ebb = `${bare} import '${adapter}';`;
  const added = async (measure: (program: string) => Promise<number>): Promise<number> =>
    (await measure(ebb)) - (await measure(bare));
  // The shortest of each, in turn: a busy machine only ever adds to it.
  const shortest = { bare: Number.POSITIVE_INFINITY, ebb: Number.POSITIVE_INFINITY };
  for (let start = 0; start < STARTS; start += 1) {
    shortest.bare = Math.min(shortest.bare, await msOf(bare));
    shortest.ebb = Math.min(shortest.ebb, await msOf(ebb));
  }
  return {
    files: await added(filesOf),
    ...(countsInstructions ? { thousands: Math.round((await added(instructionsOf)) / 1_000) } : {}),
    ms: Math.round((shortest.ebb - shortest.bare) * 10) / 10,
  };
}
