// Runs programs of other libraries beside what @ebb/migrate makes of them, on a scripted upstream: both must send the same requests at
// the same times, and end with and log the same. Twenty were set aside before there was a rule: no rule is made for one of those.
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { migrate } from '@ebb/migrate';
import { afterAll, describe, expect, test } from 'vitest';
import { difference, makeFolders, play } from './moved/compare.ts';
import { SCRIPTS } from './moved/scripts.ts';

const SHAPES = 'packages/migrate/test/shapes';
const aside: readonly string[] = JSON.parse(readFileSync('packages/migrate/test/set-aside.json', 'utf8'));

const shapes = globSync(`${SHAPES}/*.input.*`).map((path) => {
  const before = readFileSync(path, 'utf8');
  const { text, rewritten, left } = migrate(path, before);
  const [name = ''] = basename(path).split('.');
  return { name, ending: extname(path), before, text, isWhole: rewritten > 0 && left.length === 0 };
});
const whole = shapes.filter(({ isWhole, ending }) => isWhole && ending !== '.tsx');

// Inside test/, so that the programs find what they import.
const folder = mkdtempSync(join(import.meta.dirname, '../.moved-'));
makeFolders(folder);
afterAll(() => rmSync(folder, { recursive: true }));

/** Programs without a TODO that differ in some scripts, and how. They do not count as whole. */
const DIFFERS: Readonly<Record<string, string>> = {
  'p-retry-6': 'one connection breaks: sends', // p-retry 4 takes the error of Node's fetch for a mistake, and p-retry 9 retries it.
};

describe('what is rewritten whole does what it did', () => {
  test.concurrent.each(whole.map((shape) => [shape.name, shape] as const))('%s', async (name, shape) => {
    const { before, text, ending } = shape;
    const original = await play(folder, name, `${name}-before${ending}`, before);
    const moved = await play(folder, name, `${name}-after${ending}`, text);
    const differing = Object.entries(SCRIPTS).flatMap(([script, steps]) => {
      const mayWaitLonger = steps.some(({ headers }) => headers !== undefined);
      const found = difference(original[script], moved[script], mayWaitLonger);
      return found === undefined ? [] : [`${script}: ${found}`];
    });
    const known = DIFFERS[name];
    if (known === undefined) expect(differing).toEqual([]);
    else expect(differing.join()).toContain(known);
  });
});

/** Programs of two files, and how often the second sends when nothing answers well. */
const TOGETHER: Readonly<Record<string, readonly [client: string, request: string, sent: number]>> = {
  'a client that stays, and a POST without retries': [
    `import axios from 'axios';
import axiosRetry from 'axios-retry';
export const client = axios.create();
export const ids = axiosRetry(client, { retries: 3, retryCondition: () => true });
`,
    `import { client } from './client.mjs';
export const send = () =>
  client.post('https://api.example.com/orders', { n: 1 }, { 'axios-retry': { retries: 0 } });
`,
    1,
  ],
  'a client that is rewritten, and a POST with one retry': [
    `import axios from 'axios';
import axiosRetry from 'axios-retry';
export const client = axios.create();
axiosRetry(client, { retries: 3, retryCondition: () => true });
`,
    `import { client } from './client.mjs';
export const send = () =>
  client.post('https://api.example.com/orders', { n: 1 }, { 'axios-retry': { retries: 1 } });
`,
    2,
  ],
  'a client of ky, and a POST without retries': [
    `import ky from 'ky';
export const api = ky.create({ retry: { limit: 3, methods: ['post'] } });
`,
    `import { api } from './client.mjs';
export const send = () => api.post('https://api.example.com/orders', { json: { n: 1 }, retry: 0 }).json();
`,
    1,
  ],
  'a fetch of fetch-retry, and a POST without retries': [
    `import fetchRetry from 'fetch-retry';
const retrying = fetchRetry(fetch, { retryOn: [500, 503] });
export const load = (url, init) => retrying(url, init);
`,
    `import { load } from './client.mjs';
export const send = () => load('https://api.example.com/orders', { method: 'POST', body: '1', retries: 0 });
`,
    1,
  ],
  'an error that stops retries': [
    `import { AbortError } from 'p-retry';
export const load = async () => {
  const response = await fetch('https://api.example.com/orders', { method: 'POST' });
  if (!response.ok) throw new AbortError('no');
};
`,
    `import pRetry from 'p-retry';
import { load } from './client.mjs';
export const send = () => pRetry(load, { retries: 3 });
`,
    1,
  ],
};

describe('programs of two files that are rewritten together send what they sent', () => {
  test.concurrent.each(Object.entries(TOGETHER))('%s', async (_, [client, request, sent]) => {
    const home = mkdtempSync(join(import.meta.dirname, '../.moved-'));
    try {
      makeFolders(home);
      const path = join(home, 'esm/request.mjs');
      writeFileSync(join(home, 'esm/client.mjs'), client);
      const original = await play(home, '', 'request.mjs', request);
      expect(original['only 503']?.sent).toHaveLength(sent);
      const command = ['--conditions=@ebb/source', '--no-warnings', 'packages/migrate/src/cli.ts', '--force'];
      const migrating = promisify(execFile)(process.execPath, [...command, join(home, 'esm')]);
      // It returns 1 for what is left.
      expect(await migrating.catch(({ stdout }) => ({ stdout }))).toMatchObject({
        stdout: expect.stringContaining(' rewritten in '),
      });
      const moved = await play(home, '', 'request.mjs', readFileSync(path, 'utf8'));
      const differing = Object.keys(SCRIPTS).flatMap((script) => {
        const found = difference(original[script], moved[script], true);
        return found === undefined ? [] : [`${script}: ${found}`];
      });
      expect(differing).toEqual([]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

test('what becomes of TypeScript compiles', async () => {
  const home = mkdtempSync(join(import.meta.dirname, '../moved-types-'));
  try {
    const options = {
      noEmit: true,
      composite: false,
      emitDeclarationOnly: false,
      isolatedDeclarations: false,
    };
    const config = {
      extends: '../../tsconfig.base.json',
      compilerOptions: { ...options, types: ['node'] },
      include: ['*.ts'],
    };
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(config));
    const programs = whole.filter(({ ending }) => ending === '.ts');
    expect(programs.length).toBeGreaterThan(3);
    for (const { name, text } of programs) writeFileSync(join(home, `${name}.ts`), text);
    const compiler = 'node_modules/typescript/bin/tsc';
    const compiling = promisify(execFile)(process.execPath, [compiler, '-p', home]);
    expect(await compiling.catch(({ stdout }) => stdout)).toMatchObject({ stdout: '' });
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('of the twenty that were set aside at least sixteen are rewritten whole', () => {
  const done = whole.filter(({ name }) => aside.includes(name) && !(name in DIFFERS));
  expect(aside).toHaveLength(20);
  expect(done.length).toBeGreaterThanOrEqual(16);
});
