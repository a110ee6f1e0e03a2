// Packs all packages, checks what was packed, and publishes it:
//   pnpm release              in the release workflow, because provenance needs its identity
//   pnpm release --dry-run    packs and checks, and publishes nothing
// With --packed FOLDER it checks the tarballs of that folder instead of packing again.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { problemsOf } from './check.ts';
import { pack, packedIn } from './pack.ts';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, packed: { type: 'string' } } });
const root = join(import.meta.dirname, '../..');

const folder = values.packed ?? mkdtempSync(join(tmpdir(), 'ebb-release-'));
try {
  const tarballs = values.packed === undefined ? await pack(folder) : packedIn(folder);
  const problems = await problemsOf(tarballs, readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else for (const path of tarballs) console.log(basename(path));
} finally {
  if (values.packed === undefined) rmSync(folder, { recursive: true });
}

if (values['dry-run']) console.log('Dry run: nothing was published.');
else if (process.exitCode !== 1) {
  // pnpm publishes dependencies first and skips versions that the registry has, so a release that broke off can be repeated.
  const args = ['publish', '--recursive', '--filter', './packages/*', '--provenance', '--no-git-checks'];
  process.exitCode = spawnSync('pnpm', args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
