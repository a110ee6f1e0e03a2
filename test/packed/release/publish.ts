import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/**
 * Publishes all packages, signed with the identity of the release workflow. pnpm publishes dependencies first and skips
 * versions that the registry has, so a release that broke off can be repeated. Returns the exit code.
 */
export function publish(): number {
  // pnpm reads this flag alone, and not `publishConfig.provenance`. With it, nothing is published without an identity.
  const args = ['publish', '--recursive', '--filter', './packages/*', '--provenance', '--no-git-checks'];
  return spawnSync('pnpm', args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
