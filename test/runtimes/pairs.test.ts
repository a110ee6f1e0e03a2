import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pair, PairResult } from './pair.ts';

// A table of packages/undici/README.md: who sets the global dispatcher, and which requests ebb then retries.
const page = readFileSync(new URL('../../packages/undici/README.md', import.meta.url), 'utf8');
const lines = page.slice(page.indexOf('| set by')).split('\n\n')[0]?.split('\n') ?? [];
const [header = [], , ...rows] = lines.map((line) =>
  line
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1),
);

const FOLDERS: Readonly<Record<string, string>> = {
  'undici 6': 'undici6',
  'undici 7.0': 'undici7.0',
  'undici 7.30': 'undici7',
  'undici 8.0': 'undici8.0',
  'undici 8.12': 'undici',
};
const modules = join(dirname(import.meta.dirname), 'node_modules');
const runtimes = join(import.meta.dirname, 'node_modules');
const NODE_24 = join(modules, '../../node_modules/node/bin/node');
const NODES: Readonly<Record<string, string>> = {
  'fetch of Node 20': join(runtimes, 'node20/bin/node'),
  'fetch of Node 22': join(runtimes, 'node22/bin/node'),
  'fetch of Node 24': NODE_24,
  'fetch of Node 26': join(runtimes, 'node26/bin/node'),
};

const directory = mkdtempSync(join(tmpdir(), 'ebb-pairs-'));
afterAll(() => rmSync(directory, { recursive: true }));
beforeAll(async () => {
  symlinkSync(modules, join(directory, 'node_modules'), 'dir');
  const contents = `import { tryPair } from './pair.ts';
    console.log(JSON.stringify(await tryPair(JSON.parse(process.argv[2]))));
    process.exit();`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['@ebb/source'],
    platform: 'neutral',
    external: ['node:*'],
  });
  writeFileSync(join(directory, 'pair.mjs'), outputFiles[0]?.text ?? '');
});

async function measure(node: string, pair: Pair, ...flags: readonly string[]): Promise<PairResult> {
  const args = [...flags, 'pair.mjs', JSON.stringify(pair)];
  const { stdout } = await promisify(execFile)(node, args, { cwd: directory });
  return JSON.parse(stdout);
}

const folderOf = (name: string): string => FOLDERS[name] ?? expect.fail(`${name} is not installed`);
const cells = rows.flatMap(([setter = '', ...told]) =>
  told.map((text, at) => [setter, header[at + 1] ?? '', text] as const),
);

test('the table has every pair', () => {
  expect(rows.map(([setter]) => setter)).toEqual(Object.keys(FOLDERS).slice(1));
  expect(header.slice(1)).toEqual([...Object.keys(FOLDERS).slice(1), ...Object.keys(NODES)]);
});

const DOES_NOT_RUN = "Cannot read properties of undefined (reading 'bind')";

test.concurrent.each(cells)('set by %s, sent by %s: %s', async (setter, sender, text) => {
  const isNode = sender in NODES;
  const pair = { setter: folderOf(setter), sender: isNode ? undefined : folderOf(sender) };
  const result = await measure(NODES[sender] ?? NODE_24, { ...pair, by: 'global' });
  expect(result === DOES_NOT_RUN ? 'does not run' : result).toBe(text.replaceAll('*', ''));
});

const versions = Object.keys(FOLDERS).slice(1);
const passed = versions.flatMap((setter) =>
  [...versions, ...Object.keys(NODES)].map((sender) => [setter, sender] as const),
);

test.concurrent.each(passed)('of %s, passed as dispatcher to %s', async (setter, sender) => {
  const isNode = sender in NODES;
  const pair = { setter: folderOf(setter), sender: isNode ? undefined : folderOf(sender) };
  const result = await measure(NODES[sender] ?? NODE_24, { ...pair, by: 'option' });
  const isNewest = setter === 'undici 8.12';
  if (isNewest && sender === 'fetch of Node 20') expect(result).toBe(DOES_NOT_RUN);
  else if (isNewest && !isNode && sender !== setter) {
    expect(result).toMatch(/^request: opts\.dispatcher is not supported by instance methods.*; fetch: yes$/);
  } else expect(result).toBe('yes');
});

const refused =
  'ebbInterceptor needs a dispatcher of undici 7 or 8, and was composed on one of undici 6 or older';

test.concurrent.each([...Object.keys(FOLDERS), ...Object.keys(NODES)])(
  'a dispatcher of undici 6, passed to %s, is refused',
  async (sender) => {
    const pair = { setter: 'undici6', sender: sender in NODES ? undefined : folderOf(sender) };
    expect(await measure(NODES[sender] ?? NODE_24, { ...pair, by: 'option' })).toBe(refused);
  },
);

const bun = [join(runtimes, '.bin/bun'), 'run'] as const;
const deno = [
  join(runtimes, '.bin/deno'),
  ...['run', '--allow-all', '--no-config', '--node-modules-dir=manual', '--quiet'],
] as const;
const builtIn = 'undici';
const installed = 'undici/index.js';
const elsewhere = [
  ['Bun', bun, builtIn, builtIn, 'option', /compose is not a function/],
  ['Bun', bun, installed, builtIn, 'option', /^no$/],
  ['Bun', bun, installed, builtIn, 'global', /^no$/],
  ['Bun', bun, installed, undefined, 'option', /^no$/],
  ['Bun', bun, installed, undefined, 'global', /^no$/],
  ['Bun', bun, installed, installed, 'option', /^yes$/],
  ['Bun', bun, installed, installed, 'global', /^yes$/],
  ['Deno', deno, 'undici', undefined, 'option', /^no$/],
  ['Deno', deno, 'undici', undefined, 'global', /^no$/],
  ['Deno', deno, 'undici', 'undici', 'option', /^yes$/],
  ['Deno', deno, 'undici', 'undici', 'global', /^yes$/],
] as const;

const named = elsewhere.map(
  ([runtime, ...row]) => [`${runtime}: ${row[1]}, to ${row[2] ?? 'its fetch'}, as ${row[3]}`, row] as const,
);

test.concurrent.each(named)('%s', async (_, [[program, ...flags], setter, sender, by, expected]) => {
  expect(await measure(program, { setter, sender, by }, ...flags)).toMatch(expected);
});
