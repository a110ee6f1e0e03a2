import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The paths of the packed packages in a folder. */
export function packedIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(folder, name));
}

/** The path of each packed package, by the name of its folder. */
export function byName(paths: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(paths.map((path) => [basename(path).replace(/^ebb-(.+?)-\d.*$/, '$1'), path]));
}

/** Builds every package and packs it into the folder. Only pnpm replaces `exports` by those of `publishConfig`. */
export async function pack(folder: string): Promise<string[]> {
  await run(process.execPath, [join(root, 'test/build/run.ts')], { cwd: root });
  mkdirSync(folder, { recursive: true });
  const args = ['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder];
  await run('pnpm', args, { cwd: root });
  return packedIn(folder);
}
