import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { CHECKS } from './checks.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** Scripts of the root that run one of a workspace of its own. */
const outside = Object.entries(scripts).flatMap(([name, script]) => {
  return [...script.matchAll(/pnpm -C (\S+) run /g)].map(
    ([, folder = '']) => [name, folder, script] as const,
  );
});

test('there are scripts that run one of another workspace', () => {
  expect(outside.map(([name]) => name)).toContain('release');
});

// pnpm installs missing packages only for the script that a person starts: for those that it starts in turn it sets
// `verifyDepsBeforeRun` to false.
test.each(outside)('%s installs %s first', (_, folder, script) => {
  const install = script.indexOf(`pnpm -C ${folder} install --frozen-lockfile`);
  expect(install).toBeGreaterThanOrEqual(0);
  expect(install).toBeLessThan(script.indexOf(`pnpm -C ${folder} run `));
});

test('`check types` and `check unused` install every workspace of its own', () => {
  const workspaces = globSync('{docs,examples/*,test/*}/pnpm-workspace.yaml').map(dirname).sort();
  expect(CHECKS.types?.needs).toEqual(workspaces);
  expect(CHECKS.unused?.needs).toEqual(workspaces);
});

test('a release runs before anything is built', () => {
  const { scripts } = JSON.parse(readFileSync('test/packed/package.json', 'utf8'));
  expect(scripts.release).toContain('node --conditions=@ebb/source test/packed/release.ts');
});
