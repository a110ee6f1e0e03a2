import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
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

/** Builds every package from scratch: `tsc -b` does not delete the output of a source that was moved. */
async function build(): Promise<void> {
  const outputs = globSync('packages/*/{dist,cjs/*}', {
    cwd: root,
    exclude: ['packages/*/cjs/package.json'],
  });
  for (const path of outputs) rmSync(join(root, path), { recursive: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-b', '--force', 'packages'], { cwd: root });
}

/** Builds every package and packs it into the folder. Only pnpm replaces `exports` by those of `publishConfig`. */
export async function pack(folder: string): Promise<string[]> {
  await build();
  mkdirSync(folder, { recursive: true });
  const args = ['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder];
  await run('pnpm', args, { cwd: root });
  return packedIn(folder);
}
