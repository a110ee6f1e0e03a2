import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The Node versions that are installed: what `--version` prints, and the path. */
export const nodes: readonly (readonly [version: string, path: string])[] = [
  'test/runtimes/node_modules/node20',
  'test/runtimes/node_modules/node22',
  'node_modules/node',
  'test/runtimes/node_modules/node26',
]
  .map((path) => join(root, path, 'bin/node'))
  .filter((path) => existsSync(path))
  .map((path) => [execFileSync(path, ['--version']).toString().trim(), path]);
