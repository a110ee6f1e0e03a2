import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { rowsFor } from '@ebb/testing';
import { afterAll, expect, test } from 'vitest';
import { blocksOf } from '../page-blocks.ts';
import { factsOf } from './facts.ts';

// The program of the page, with the test functions of other runners. That of node:test runs with the other pages.
const page = blocksOf('packages/testing/README.md').find(({ code }) =>
  code.includes('suite({ describe, test }'),
);
const program = page?.code ?? expect.fail('the page shows no suite');

const tests = dirname(import.meta.dirname);
// Inside test/, so that the packages resolve as they do for a user who has installed them.
const folder = mkdtempSync(join(tests, '.runners-'));
afterAll(() => rmSync(folder, { recursive: true }));

const IMPORT = "import { describe, test } from 'node:test';\n";
const total = rowsFor({ name: '', client: () => expect.fail('nothing is run') }).length;
/** Of the abilities that the program lacks. */
const skipped = rowsFor({
  name: '',
  client: () => expect.fail('nothing is run'),
  lacks: { bodyFactories: 'no', history: 'no', pool: 'no', streams: 'no' },
}).filter((row) => row.skipped !== undefined).length;

/** What the adapter does in this runtime besides. */
function written(name: string, runtime: 'Bun' | 'Deno', change: (code: string) => string): string {
  const { does } = factsOf({ row: 'fetch', runtime });
  const file = join(folder, name);
  writeFileSync(file, change(program).replace('name:', `does: ${JSON.stringify(does)},\n  name:`));
  return file;
}

async function run(command: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };
  const { stdout, stderr } = await promisify(execFile)(
    join(tests, 'runtimes/node_modules/.bin', command),
    args,
    {
      cwd: folder,
      env,
    },
  );
  return stdout + stderr;
}

test('bun:test', async () => {
  const file = written('page.test.ts', 'Bun', (code) => code.replace('node:test', 'bun:test'));
  const output = await run('bun', 'test', '--conditions=@ebb/source', file);
  expect(output).toMatch(new RegExp(` ${total - skipped} pass\\n +${skipped} skip\\n +0 fail\\n`));
});

test('Deno.test, which has no describe', async () => {
  const bare = (code: string): string =>
    code.replace(IMPORT, '').replace('{ describe, test }', '{ test: Deno.test }');
  const file = written('page.ts', 'Deno', bare);
  const flags = ['--allow-all', '--no-check', '--no-config', '--node-modules-dir=manual', '--quiet'];
  const output = await run('deno', 'test', ...flags, '--conditions=@ebb/source', file);
  expect(output).toContain(`ok | ${total - skipped} passed | 0 failed | ${skipped} ignored`);
});
