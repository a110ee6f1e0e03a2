import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { upstream } from './server.ts';

const pages = globSync(['README.md', '{packages/*,examples}/README.md', 'docs/*.md']).sort();
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const published = globSync('packages/*/package.json').map(
  (path) => (JSON.parse(readFileSync(path, 'utf8')) as { name: string }).name,
);

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => {
    return { page, line: text.slice(0, index).split('\n').length, language, code };
  });
}

const blocks = pages.flatMap(blocksOf);

// Inside test/, so that the packages resolve as they do for a user who has installed them.
const folder = mkdtempSync(join(import.meta.dirname, '.readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('every program on a page runs', () => {
  const programs = blocks.filter(({ language }) => language === 'ts' || language === 'cjs');
  test.concurrent.each(programs.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s',
    { timeout: 60_000 },
    async (name, { code, language }) => {
      const server = await upstream([
        { status: 503, body: 'down' },
        { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
      ]);
      const file = join(folder, `${name.replaceAll(/\W/g, '-')}.${language}`);
      writeFileSync(file, code);
      const env = { ...process.env, UPSTREAM_URL: server.url, NODE_OPTIONS: '' };
      try {
        await promisify(execFile)(process.execPath, ['--conditions=@ebb/source', file], {
          env,
          timeout: 50_000,
        });
      } finally {
        await server.close();
      }
    },
  );

  test('there are programs', () => {
    expect(programs.length).toBeGreaterThan(3);
  });
});

describe('every command on a page exists', () => {
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, code }) =>
      code
        .trim()
        .split('\n')
        .map((command) => [page, command.replace(/ *#.*/, '')]),
    );

  test.each(commands)('%s: %s', (_, command = '') => {
    const install = /^npm install (.+)$/.exec(command)?.[1]?.split(' ');
    if (install !== undefined) {
      for (const name of install.filter((part) => part.startsWith('@ebb/')))
        expect(published).toContain(name);
      return;
    }
    const script = /^(?:npx -y pnpm@12|pnpm) (?:run )?(\S+)/.exec(command)?.[1] ?? command;
    expect(Object.keys(manifest.scripts)).toContain(script);
  });
});

test('every program on a page is in a language that is tested', () => {
  const known = new Set(['ts', 'cjs', 'sh', 'js', 'text', 'json']);
  expect(blocks.filter(({ language }) => !known.has(language))).toEqual([]);
});
