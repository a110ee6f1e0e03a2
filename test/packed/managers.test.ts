// The first program of Start, as a new user tries it: installed by each package manager, run by each runtime. Installs
// axios from the registry.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { nodes } from './nodes.ts';
import { firstProgramOf, usersEnv, writeProject } from './release/project.ts';

const run = promisify(execFile);
const tarballs = inject('tarballs');
const program = firstProgramOf('docs/guide/start.md', 'axios') ?? expect.fail('Start has no program');
const runtimes = join(import.meta.dirname, '../runtimes/node_modules/.bin');

const isOnline = await run('npm', ['ping'], { env: usersEnv() }).then(
  () => true,
  () => {
    console.warn('Skipped: axios cannot be installed, because the registry of npm does not respond.');
    return false;
  },
);

/** The folder of a project that has the program. */
function project(name: string): string {
  const folder = join(inject('folder'), `managed-${name}`);
  mkdirSync(folder);
  const { core, axios } = tarballs;
  writeProject(folder, { core, axios }, { dependencies: { axios: '1' } });
  writeFileSync(join(folder, 'first.mjs'), program.code);
  return folder;
}

async function printedBy(folder: string, command: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(command, [...args, 'first.mjs'], {
    cwd: folder,
    env: usersEnv(),
    timeout: 50_000,
  });
  return stdout;
}

describe.skipIf(!isOnline)('the first program of Start', () => {
  test.each([
    ['npm', 'npm', ['install', '--no-audit', '--no-fund']],
    ['pnpm', 'npx', ['-y', 'pnpm@12', 'install']],
    ['yarn', 'npx', ['-y', 'yarn@1', 'install', '--no-lockfile']],
    ['bun', join(runtimes, 'bun'), ['install']],
  ])('runs after an installation by %s', async (name, command, args) => {
    const folder = project(name);
    await run(command, args, { cwd: folder, env: usersEnv(), timeout: 50_000 });
    expect(await printedBy(folder, process.execPath)).toBe(program.prints);
  });

  describe('installed by npm', () => {
    const folder = project('runtimes');
    beforeAll(async () => {
      await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env: usersEnv() });
    }, 60_000);

    test.each([
      ...nodes.map(([version, path]) => [`Node ${version}`, path, []] as const),
      ['Bun', join(runtimes, 'bun'), ['run']] as const,
      ['Deno', join(runtimes, 'deno'), ['run', '--allow-all', '--quiet']] as const,
    ])('runs in %s', async (_, command, args) => {
      expect(await printedBy(folder, command, ...args)).toBe(program.prints);
    });
  });
});
