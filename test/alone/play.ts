import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundleOptions } from '../size/bundle.ts';
import type { Wrong } from './program.ts';

const execute = promisify(execFile);

/** A row that was played in a process of its own. */
export interface Played {
  readonly client: string;
  readonly row: string;
  readonly wrong: Wrong;
}

/** The rows of a client, and how to play one. */
export interface Program {
  readonly rows: readonly { readonly name: string; readonly skipped?: string }[];
  /** The folders below `packages` that the program contains. */
  readonly packages: readonly string[];
  play(row: string): Promise<Wrong>;
}

/** The clients, and the modules that export an adapter of each. */
export const ADAPTERS: Readonly<Record<string, string>> = {
  fetch: './adapters/fetch.ts',
  'fetch, resuming': './adapters/resuming.ts',
  axios: './adapters/axios.ts',
  'axios, fetch': './adapters/axios-over-fetch.ts',
  undici: './adapters/undici.ts',
  "Node's fetch": './adapters/dispatcher.ts',
};

/** What is wrong: what the program says, and what Node says on its standard error, such as a warning. */
function wrongOf(stdout: string, stderr: string): Wrong {
  const said = stdout.trim().split('\n').at(-1) || '[]';
  return [...(JSON.parse(said) as Wrong), ...(stderr === '' ? [] : [stderr.trim()])];
}

/** Bundles an adapter with the suite once: a process then starts in less than 100 ms. */
async function programOf(adapter: string, outfile: string, endMs?: number): Promise<Program> {
  const contents = `
    import { adapter } from '${adapter}';
    import { program } from './program.ts';
    program(adapter, process.argv[2], ${endMs});`;
  const { metafile } = await build({
    ...bundleOptions('node', 'source'),
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    format: 'cjs',
    target: 'node24',
    metafile: true,
  });
  const inputs = Object.keys(Object.values(metafile.outputs)[0]?.inputs ?? {});
  const packages = new Set(inputs.flatMap((path) => /(?:^|\/)packages\/(\w+)\/src\//.exec(path)?.[1] ?? []));
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: `${outfile}.cache` };
  const { stdout } = await execute(process.execPath, [outfile], { env });
  return {
    rows: JSON.parse(stdout),
    packages: [...packages].sort(),
    async play(row) {
      const args = ['--expose-gc', outfile, row];
      try {
        const { stdout, stderr } = await execute(process.execPath, args, { env });
        return wrongOf(stdout, stderr);
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        return [`the program fails: ${stderr.trim()}`, ...wrongOf(stdout, '')];
      }
    },
  };
}

/** Builds the program of a client, and removes it in the end. */
export async function withProgram<T>(
  adapter: string,
  use: (program: Program) => Promise<T>,
  endMs?: number,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ebb-alone-'));
  try {
    return await use(await programOf(adapter, join(folder, 'program.cjs'), endMs));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** So many processes at a time. */
const AT_ONCE = 2;

/** Plays rows of a client, each in a process of its own. */
export async function playAll(
  client: string,
  { play }: Program,
  rows: readonly string[],
  played: (row: Played) => void,
): Promise<void> {
  const left = rows.values();
  const lane = async (): Promise<void> => {
    for (const row of left) played({ client, row, wrong: await play(row) });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
