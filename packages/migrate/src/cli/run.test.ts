import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run as runCommand, Scratch } from '../../test/scratch.ts';

const OLD =
  "import axios from 'axios';\nimport axiosRetry from 'axios-retry';\n\naxiosRetry(axios, { retries: 3 });\n";
const LEFT =
  "import axiosRetry from 'axios-retry';\nimport { options } from './options.js';\nexport default axiosRetry(client, options);\n";

const COMMANDS = 'npm install @ebb/axios @ebb/compat\nnpm uninstall axios-retry\n';

let scratch: Scratch;
let folder: string;
beforeEach(() => {
  scratch = new Scratch();
  folder = scratch.folder;
});
afterEach(() => scratch.remove());

const write = (name: string, text: string): string => scratch.write(name, text);
const commit = (...paths: readonly string[]): void => scratch.commit('.', ...paths);
const run = (...args: string[]) => runCommand(args);

describe('ebb-migrate', () => {
  test('rewrites files that are committed', () => {
    const path = write('a.mjs', OLD);
    commit('.');
    expect(run(path)).toEqual({
      code: 0,
      stdout: `1 place rewritten in 1 file of 1, 0 TODOs\n${COMMANDS}`,
      stderr: '',
    });
    expect(readFileSync(path, 'utf8')).toContain('axios.interceptors.request.use(ebbInterceptor(');
  });

  test('with --dry prints a diff, and writes nothing', () => {
    const path = write('a.mjs', OLD);
    const { code, stdout } = run('--dry', path);
    expect(code).toBe(0);
    expect(stdout).toContain(`--- a/${path}\n+++ b/${path}\n@@ `);
    expect(stdout).toContain('\n-axiosRetry(axios, { retries: 3 });\n');
    expect(stdout).toContain(`\n1 place would be rewritten in 1 file of 1, 0 TODOs\n${COMMANDS}`);
    expect(readFileSync(path, 'utf8')).toBe(OLD);
  });

  test.each([
    ['has changed', 'it has uncommitted changes', ['b.txt', 'a.mjs']],
    ['is not added', 'git does not know it', ['b.txt']],
    ['is in no repository', 'it is in no git repository', undefined],
  ])('does not write a file that %s, without --force', (_, reason, added) => {
    const path = write('a.mjs', OLD);
    write('b.txt', '');
    if (added !== undefined) commit(...added);
    const before = write('a.mjs', `${OLD}\n`) && readFileSync(path, 'utf8');
    expect(run(path)).toMatchObject({
      code: 2,
      stderr: `ebb-migrate: ${path}: not written: ${reason}; --force writes it\n`,
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(run('--force', path).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('@ebb/axios');
  });

  test('returns 1 and names the lines if something is left', () => {
    const path = write('a.mjs', LEFT);
    commit('.');
    expect(run(path)).toEqual({
      code: 1,
      stdout: `${path}:3: axios-retry stays here: \`use\` returns one id of an interceptor, and axiosRetry returned two\n0 places rewritten in 1 file of 1, 1 TODO\n`,
      stderr: '',
    });
  });

  test('names the packages that the programs load now, and the library that none of them loads any more', () => {
    const one = write('a.mjs', OLD);
    const other = write('b.ts', "import type { IAxiosRetryConfig } from 'axios-retry';\n");
    expect(run('--dry', one).stdout.endsWith(`\n${COMMANDS}`)).toBe(true);
    expect(run('--dry', one, other).stdout).not.toContain('npm uninstall');
  });

  test.each([
    ['package-lock.json', 'npm install', 'npm uninstall'],
    ['pnpm-lock.yaml', 'pnpm add', 'pnpm remove'],
    ['yarn.lock', 'yarn add', 'yarn remove'],
    ['bun.lock', 'bun add', 'bun remove'],
    ['bun.lockb', 'bun add', 'bun remove'],
  ])('the commands beside %s are those of its package manager', (lock, add, remove) => {
    write(lock, '');
    const path = write('src/a.mjs', OLD);
    expect(run('--dry', path).stdout).toContain(`\n${add} @ebb/axios @ebb/compat\n${remove} axios-retry\n`);
  });

  test('each package of a workspace has commands of its own, with the nearest lock file', () => {
    write('pnpm-lock.yaml', '');
    write('one/package.json', '{}');
    write('other/package.json', '{}');
    write('other/yarn.lock', '');
    write('one/src/a.mjs', OLD);
    write(
      'one/src/b.ts',
      "import type { IAxiosRetryConfig } from 'axios-retry';\nlet a: IAxiosRetryConfig | undefined;\n",
    );
    write('other/c.mjs', OLD);
    const commands = run('--dry', folder)
      .stdout.split('\n')
      .filter((line) => line.includes('&&'));
    const enter = (name: string): string =>
      `cd ${JSON.stringify(relative(process.cwd(), join(folder, name)))} && `;
    expect(commands).toEqual([
      `${enter('one')}pnpm add @ebb/axios @ebb/compat`,
      `${enter('one')}pnpm remove axios-retry`,
      `${enter('other')}yarn add @ebb/axios @ebb/compat`,
      `${enter('other')}yarn remove axios-retry`,
    ]);
  });

  test.each([
    ['^0.27.2', true],
    ['0.21', true],
    ['~1.6.8', true],
    ['1.6.8', true],
    ['1.6', true],
    ['^1.6.8', false],
    ['1.7.0', false],
    ['~1.13.0', false],
    ['>=0.21', false],
    ['latest', false],
  ])('an axios %s in package.json is left to do: %s', (range, isLeft) => {
    const path = write('package.json', `{ "dependencies": { "axios": "${range}" } }`);
    write('a.mjs', OLD);
    const { code, stdout } = run('--dry', folder);
    expect(code).toBe(isLeft ? 1 : 0);
    expect(stdout.includes(`\n${path}: @ebb/axios takes axios 1.7.0 or later, and this is ${range}\n`)).toBe(
      isLeft,
    );
    expect(stdout).toContain(isLeft ? ', 1 TODO\n' : ', 0 TODOs\n');
  });

  test('the version of axios that it names is that of the peer dependency', () => {
    const { peerDependencies } = JSON.parse(readFileSync('packages/axios/package.json', 'utf8'));
    expect(peerDependencies).toEqual({ axios: '^1.7.0' });
  });

  test('reads the programs of a folder, but not those of packages and builds', () => {
    for (const name of [
      'a.mjs',
      'src/b.ts',
      'node_modules/c.js',
      'dist/d.js',
      '.cache/e.js',
      'f.d.ts',
      'g.json',
    ])
      write(name, OLD);
    expect(run('--dry', folder).stdout).toContain('\n2 places would be rewritten in 2 files of 2, 0 TODOs\n');
  });

  test('goes on after a file that it cannot read', () => {
    const broken = write('a.mjs', `${OLD}const = 1;\n`);
    const good = write('b.mjs', OLD);
    const { code, stdout, stderr } = run('--dry', broken, good);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `ebb-migrate: ${broken}: its syntax is not understood\n`,
    });
    expect(stdout).toContain(
      '\n1 place would be rewritten in 1 file of 2, 0 TODOs, 1 not read or written\nnpm install',
    );
  });

  test.each([
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, ''],
    [['--help'], 0, /Exit codes: 0 /, ''],
    [[], 2, /^ebb-migrate \[--dry\]/, ''],
    [['--wrong'], 2, /^$/, "ebb-migrate: Unknown option '--wrong'"],
    [['/none/a.ts'], 2, /^$/, 'ebb-migrate: ENOENT'],
  ])('%j returns %i', (args, code, stdout, stderr) => {
    const ended = run(...args);
    expect(ended.code).toBe(code);
    expect(ended.stdout).toMatch(stdout);
    expect(ended.stderr.startsWith(stderr)).toBe(true);
  });
});
