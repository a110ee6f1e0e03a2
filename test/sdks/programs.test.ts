import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { blocksOf } from '../page-blocks.ts';
import { startPageUpstream } from './page-upstream.ts';

const PAGE = 'docs/sdks.md';
const lines = readFileSync(PAGE, 'utf8').split('\n');

/** The programs with the headings that they stand below. */
const programs = blocksOf(PAGE)
  .filter(({ language }) => language === 'ts')
  .map((block) => {
    const heading = lines.slice(0, block.line).findLast((line) => /^##+ /.test(line)) ?? '';
    return { ...block, heading: heading.replace(/^#+ /, '') };
  });

/** What calls a program that a framework or a phone would call. */
const HOSTS: Readonly<Record<string, string>> = {
  'Next.js server actions': 'server-action',
  'React Native': 'react-native',
  SWR: 'swr',
  Svelte: 'sveltekit',
};

/** Not a program of Node: only its types are checked. */
const isForeign = (heading: string): boolean => heading === 'k6';

// Inside test/sdks, so that the SDKs resolve.
const folder = mkdtempSync(join(import.meta.dirname, '.page-'));
symlinkSync(join(import.meta.dirname, 'gen'), join(folder, 'gen'));
afterAll(() => rmSync(folder, { recursive: true }));

const aws = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
const preload = join(import.meta.dirname, 'page-preload.ts');

const fileOf = (line: number): string => join(folder, `line-${line}.ts`);
for (const { line, code } of programs) writeFileSync(fileOf(line), code);

const runnable = programs.filter(({ heading }) => !isForeign(heading));

test.concurrent.each(runnable.map((block) => [`${block.heading}, line ${block.line}`, block] as const))(
  'the program on the page runs, and ebb sends its refused request again: %s',
  async (_, { heading, line }) => {
    const server = await startPageUpstream();
    const host = HOSTS[heading];
    const file = fileOf(line);
    const program = host === undefined ? [file] : [join(import.meta.dirname, 'hosts', `${host}.ts`), file];
    const env = {
      ...process.env,
      ...aws,
      AWS_ENDPOINT_URL: server.url,
      UPSTREAM_URL: server.url,
      NODE_OPTIONS: '',
    };
    try {
      const args = ['--conditions=@ebb/source', `--import=${preload}`, ...program];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 50_000 });
      expect(stdout).not.toBe('');
      expect(stdout).not.toMatch(/\b429\b/);
      expect(server.requests).toBeGreaterThan(1);
    } finally {
      server.close();
    }
  },
);

test('the programs are well typed', async () => {
  const config = { extends: '../../tsconfig.json', include: ['*.ts'], exclude: [], references: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  const checked = promisify(execFile)(tsc, ['-p', folder]).catch(({ stdout }: { stdout: string }) => stdout);
  expect(await checked).toMatchObject({ stdout: '' });
});

test('there is a program for every client of the table', () => {
  const [, table = ''] = /^\| client \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(lines.join('\n')) ?? [];
  const linked = [...table.matchAll(/\]\(#([\w-]+)\)/g)].map(([, slug]) => slug);
  const slugs = programs.map(({ heading }) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  expect(linked.length).toBeGreaterThan(26);
  expect(linked.filter((slug) => !slugs.includes(slug ?? ''))).toEqual([]);
});
