// Raises the version by the largest step of the changesets, and moves their sentences into CHANGELOG.md:
//   pnpm -C test/packed run version
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withRelease } from './changelog.ts';

const changeset = (...args: string[]): unknown => execFileSync('changeset', args, { stdio: 'inherit' });

const folder = mkdtempSync(join(tmpdir(), 'ebb-version-'));
const plan = join(folder, 'plan.json');
try {
  changeset('status', '--output', plan);
  const date = new Date().toISOString().slice(0, 10);
  const changelog = withRelease(
    readFileSync('CHANGELOG.md', 'utf8'),
    JSON.parse(readFileSync(plan, 'utf8')),
    date,
  );
  changeset('version');
  const scope = 'packages/opentelemetry/src/scope.ts';
  const { version } = JSON.parse(readFileSync('packages/opentelemetry/package.json', 'utf8'));
  writeFileSync(scope, readFileSync(scope, 'utf8').replace(/(VERSION = ')[^']*/, `$1${version}`));
  writeFileSync('CHANGELOG.md', changelog);
} finally {
  rmSync(folder, { recursive: true });
}
