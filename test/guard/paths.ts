import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Costs } from './compare.ts';

const program = new URL('../bench/path.ts', import.meta.url).pathname;

/** The figures of PATHS, by path. Measured in a process whose sources tell which of their functions run. */
export async function measurePaths(): Promise<Costs> {
  const args = ['--conditions=@ebb/source', program, 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Costs;
}
