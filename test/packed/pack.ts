import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The paths of the packed packages in a folder. */
export function packedIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(folder, name));
}

/** Builds every package and packs it into the folder. pnpm has to do it: it replaces the `exports` by the published ones. */
export async function pack(folder: string): Promise<string[]> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-b', 'packages'], { cwd: root });
  mkdirSync(folder, { recursive: true });
  const args = ['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder];
  await run('pnpm', args, { cwd: root });
  return packedIn(folder);
}
