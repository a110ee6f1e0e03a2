import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { problemsOf } from './check.ts';

const tarballs = Object.values(inject('tarballs'));
const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');

describe('a release is refused', () => {
  test('not with the packages as they are', async () => {
    expect(await problemsOf(tarballs, changelog)).toEqual([]);
  });

  test('for a version without a section in CHANGELOG.md', async () => {
    const problems = await problemsOf(tarballs, '# Changelog\n\n## Unreleased\n');
    expect(problems).toEqual([expect.stringMatching(/^CHANGELOG.md has no section \d/)]);
  });

  test('without a package', async () => {
    expect(await problemsOf([], changelog)).toEqual(['no package was packed']);
  });
});

describe('the release script', () => {
  /** Runs the script with a `pnpm` that only logs its arguments. */
  async function release(name: string, ...args: string[]): Promise<{ stdout: string; published: string }> {
    const bin = join(inject('folder'), name);
    const log = join(bin, 'log');
    mkdirSync(bin);
    writeFileSync(join(bin, 'pnpm'), `#!/bin/sh\necho "$@" >> ${log}\n`);
    chmodSync(join(bin, 'pnpm'), 0o755);
    const script = join(import.meta.dirname, 'release.ts');
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const packed = ['--packed', dirname(tarballs[0] ?? '')];
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...packed, ...args], { env });
    return { stdout, published: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  }

  test.concurrent('publishes nothing in a dry run', async () => {
    const { stdout, published } = await release('dry', '--dry-run');
    expect(stdout).toContain('ebb-core-');
    expect(stdout).toContain('nothing was published');
    expect(published).toBe('');
  });

  test.concurrent('publishes all packages with pnpm, with provenance', async () => {
    const { published } = await release('real');
    expect(published).toBe('publish --recursive --filter ./packages/* --provenance --no-git-checks\n');
  });
});
