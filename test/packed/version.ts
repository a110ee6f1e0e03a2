// Raises the version of all packages:
//   pnpm -C test/packed run version               by the largest step of the changesets; moves their sentences into CHANGELOG.md
//   pnpm -C test/packed run version 0.1.0-rc.1    to a pre-release, which changes nothing else
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withRelease } from './changelog.ts';

const changeset = (...args: string[]): unknown => execFileSync('changeset', args, { stdio: 'inherit' });

function replaceIn(path: string, pattern: RegExp, text: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, text));
}

/** The version that spans and metrics carry. */
function setScope(version: string): void {
  replaceIn('packages/opentelemetry/src/scope.ts', /(?<=VERSION = ')[^']*/, version);
}

function raiseByChangesets(): void {
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
    setScope(JSON.parse(readFileSync('packages/opentelemetry/package.json', 'utf8')).version);
    writeFileSync('CHANGELOG.md', changelog);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [version] = process.argv.slice(2);
if (version === undefined) raiseByChangesets();
else if (!/^\d+\.\d+\.\d+-[a-z]+\.\d+$/.test(version)) {
  throw new RangeError(
    `a pre-release is such as 0.1.0-rc.1, got ${version}: other versions come from changesets`,
  );
} else {
  for (const path of globSync('packages/*/package.json')) replaceIn(path, /(?<="version": ")[^"]*/, version);
  setScope(version);
}
