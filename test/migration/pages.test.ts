// Measures the pages that compare ebb with other libraries, and checks that each name in the declarations of limiters is on its page.
// After an update of one of them, read its changelog and run these tests.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { blocksOf } from '../page-blocks.ts';
import { upstream } from '../server.ts';
import { DECLARED, LEFT_OUT, namesOf } from './options.ts';
import { sectionOf } from './page.ts';

const LIMITERS = 'docs/coming-from-limiters.md';

describe.each(['docs/coming-from.md', LIMITERS])('%s', (page) => {
  const named = [
    ...sectionOf(page, 'The defaults side by side').matchAll(/^\| ([a-z-]+) (\d+\.\d+\.\d+) \|/gm),
  ];
  const installed = named.filter(([, name]) => existsSync(`test/node_modules/${name}/package.json`));

  test('most of its libraries are installed', () => {
    expect(installed.length).toBeGreaterThanOrEqual(5);
  });

  test.each(installed.map(([, name = '', version = '']) => [name, version]))('has %s %s', (name, version) => {
    expect(JSON.parse(readFileSync(`test/node_modules/${name}/package.json`, 'utf8')).version).toBe(version);
  });
});

describe.each(DECLARED)('the names of $library', (declared) => {
  // Breakers have their options on a page of their own.
  const sections = [declared.library, 'Options that most of them have'].map((name) =>
    sectionOf(LIMITERS, name),
  );
  const text = [...sections, sectionOf('docs/breakers.md', 'The options of others')].join('\n');
  const code = [...text.replace(/^```.*?^```$/gms, '').matchAll(/`([^`]+)`/g)]
    .map(([, span]) => span)
    .join('\n');
  const isOnPage = (name: string): boolean => new RegExp(`(^|\\W)${name}(\\W|$)`, 'm').test(code);
  const names = namesOf(declared);
  const leftOut = LEFT_OUT[declared.library] ?? [];

  test('are on the page, or known to be left out', () => {
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !isOnPage(name) && !leftOut.includes(name))).toEqual([]);
  });

  test('are declared, if they are left out', () => {
    expect(leftOut.filter((name) => !names.includes(name) || isOnPage(name))).toEqual([]);
  });
});

// Inside test/, so that the packages resolve as they do for a user who has installed them.
const folder = mkdtempSync(join(import.meta.dirname, '../.readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a program prints. Its upstream fails once. */
async function outputOf(name: string, code: string): Promise<string[]> {
  const server = await upstream([{ status: 503 }, { status: 200 }]);
  const file = join(folder, name);
  writeFileSync(file, code);
  const env = { ...process.env, UPSTREAM_URL: server.url, NODE_OPTIONS: '' };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@ebb/source', file], {
      env,
    });
    return stdout.trim().split('\n').sort();
  } finally {
    await server.close();
  }
}

// The bare client would print a 503 among them.
describe('the programs on the page get three good responses, or one', () => {
  const programs = blocksOf(LIMITERS).filter(({ language }) => language === 'ts');

  test('there are programs', () => expect(programs.length).toBeGreaterThan(1));

  test.concurrent.each(programs.map(({ line, code }) => [line, code] as const))(
    'line %i',
    async (line, code) => {
      const printed = await outputOf(`line-${line}.mts`, code);
      expect(new Set(printed)).toEqual(new Set(['200']));
    },
  );
});
