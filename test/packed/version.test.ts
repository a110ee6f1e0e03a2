import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { withRelease } from './changelog.ts';

const root = join(import.meta.dirname, '../..');

test('unreleased entries and the sentences of the changesets become the section of the new version', () => {
  const changelog = `# Changelog

## Unreleased

### @ebb/core

- By hand.

## 0.1.0

- The first.
`;
  const plan = {
    changesets: [
      { summary: 'For one.', releases: [{ name: '@ebb/core' }] },
      { summary: 'For two,\non two lines.', releases: [{ name: '@ebb/undici' }, { name: '@ebb/axios' }] },
      { summary: '', releases: [{ name: '@ebb/fetch' }] },
    ],
    releases: [{ newVersion: '0.2.0' }],
  };
  expect(withRelease(changelog, plan, '2026-02-03')).toBe(`# Changelog

## Unreleased

## 0.2.0 (2026-02-03)

### @ebb/core

- By hand.
- For one.

### @ebb/axios and @ebb/undici

- For two,
  on two lines.

## 0.1.0

- The first.
`);
});

test('one changeset raises the version of all packages together', () => {
  const copy = join(inject('folder'), 'version');
  mkdirSync(copy);
  const papers = ['package.json', 'pnpm-workspace.yaml', 'CHANGELOG.md', '.changeset/config.json'];
  papers.push('packages/opentelemetry/src/scope.ts');
  for (const path of [...papers, ...globSync('{packages/*,examples,test}/package.json', { cwd: root })]) {
    cpSync(join(root, path), join(copy, path));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, '.changeset/one.md'), '---\n"@ebb/fetch": minor\n---\n\nIt is better.\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd: copy });
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', 'packages', '.changeset');
  git('commit', '--quiet', '--message', 'all');

  const env = {
    ...process.env,
    PATH: `${join(import.meta.dirname, 'node_modules/.bin')}:${process.env.PATH}`,
  };
  execFileSync(process.execPath, [join(import.meta.dirname, 'version.ts')], {
    cwd: copy,
    env,
    stdio: 'pipe',
  });

  const versions = globSync('packages/*/package.json', { cwd: copy }).map((path) => {
    return [dirname(path), JSON.parse(readFileSync(join(copy, path), 'utf8')).version];
  });
  expect(new Set(versions.map(([, version]) => version)).size).toBe(1);
  const scope = readFileSync(join(copy, 'packages/opentelemetry/src/scope.ts'), 'utf8');
  expect(scope).toContain(`VERSION = '${versions[0]?.[1]}';`);
  expect(readFileSync(join(copy, 'CHANGELOG.md'), 'utf8')).toMatch(
    /^### @ebb\/fetch\n[^#]*^- It is better\.$/m,
  );
});
