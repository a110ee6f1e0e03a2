import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/**
 * Publishes all packages, signed with the identity of the release workflow. pnpm publishes dependencies first and skips
 * versions that the registry has, so a release that broke off can be repeated. Returns the exit code.
 */
export function publish(version: string): number {
  // pnpm reads this flag alone, and not `publishConfig.provenance`. With it, nothing is published without an identity.
  const args = ['publish', '--recursive', '--filter', './packages/*', '--provenance', '--no-git-checks'];
  args.push('--tag', tagOf(version));
  return spawnSync('pnpm', args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/** The tag of a version in the registry: a pre-release such as `0.1.0-rc.1` is not what `npm install` takes. */
export function tagOf(version: string): string {
  return /-([a-z]+)/.exec(version)?.[1] ?? 'latest';
}
