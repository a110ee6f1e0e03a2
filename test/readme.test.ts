import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RIGHTS } from '../packages/valkey/src/cli/help.ts';
import { startServer, program as storeProgram, type TestServer } from '../packages/valkey/test/server.ts';
import { benches, hasParts, partsOf } from './bench/measure/benches.ts';
import { CHECKS } from './checks.ts';
import { type Block, blocksOf, documentedPages } from './page-blocks.ts';
import { upstream } from './server.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const published = globSync('packages/*/package.json').map(
  (path) => (JSON.parse(readFileSync(path, 'utf8')) as { name: string }).name,
);

const blocks = documentedPages().flatMap(blocksOf);

// Inside test/, so that the packages resolve as they do for a user who has installed them.
const folder = mkdtempSync(join(import.meta.dirname, '.readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('every program on a page runs', () => {
  const isProgram = ({ language }: Block): boolean => language === 'ts' || language === 'cjs';
  // The programs of docs/sdks.md need SDKs and upstreams of their own: see sdks/programs.test.ts. Some need Cloudflare Workers: see
  // runtimes/durable-bucket.test.ts.
  const isForNode = ({ page, code }: Block): boolean =>
    page !== 'docs/sdks.md' && !code.includes("from 'cloudflare:workers'");
  const programs = blocks.filter((block) => isProgram(block) && isForNode(block));
  const needsStore = ({ code }: Block): boolean => code.includes('VALKEY_URL');
  let store: TestServer | undefined;
  beforeAll(async () => {
    if (storeProgram !== undefined) store = await startServer();
  });
  afterAll(() => store?.[Symbol.asyncDispose]());

  test.concurrent.each(programs.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s',
    { timeout: 60_000 },
    async (name, block) => {
      const { code, language, prints } = block;
      const server = await upstream([
        { status: 503, body: 'down' },
        { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
      ]);
      const file = join(folder, `${name.replaceAll(/\W/g, '-')}.${language}`);
      writeFileSync(file, code);
      const env = {
        ...process.env,
        UPSTREAM_URL: server.url,
        NODE_OPTIONS: '',
        ...(store !== undefined && needsStore(block) && { VALKEY_URL: store.url }),
      };
      try {
        const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@ebb/source', file], {
          env,
          timeout: 50_000,
        });
        if (prints !== undefined && (store !== undefined || !needsStore(block))) expect(stdout).toBe(prints);
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
    // The reader's own program.
    if (/^NODE_DEBUG=ebb node app\.js$/.test(command)) return;
    const install = /^npm install (.+)$/.exec(command)?.[1]?.split(' ');
    if (install !== undefined) {
      for (const name of install.filter((part) => part.startsWith('@ebb/')))
        expect(published).toContain(name);
      return;
    }
    const [, tool, verb = ''] = /^npx (@ebb\/\S+) (\S+)/.exec(command) ?? [];
    if (tool !== undefined) {
      expect(published).toContain(tool);
      expect(Object.keys(RIGHTS)).toContain(verb);
      return;
    }
    const filter = /^npx vitest run (\S+)/.exec(command)?.[1];
    if (filter !== undefined) {
      expect(globSync('{packages,test}/**/*.test.ts').some((path) => path.includes(filter))).toBe(true);
      return;
    }
    const [, folder = '.', script = command, argument = ''] =
      /^(?:npx -y pnpm@12|pnpm) (?:-C (\S+) )?(?:run )?(\S+) ?(\S*)/.exec(command) ?? [];
    const { scripts } =
      folder === '.' ? manifest : JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    expect(Object.keys(scripts)).toContain(script);
    if (script === 'check') expect(Object.keys(CHECKS)).toContain(argument);
    if (script === 'example' && !argument.startsWith('examples/try'))
      expect(globSync(argument)).toEqual([argument]);
    const [bench, part] = command.split(/ bench /)[1]?.split(' ') ?? [];
    if (bench === undefined) return;
    expect(benches()).toContain(bench);
    if (part !== undefined && hasParts(bench)) expect(partsOf(bench)).toContain(part);
  });
});

test('every program on a page is in a language that is tested', () => {
  const known = new Set(['ts', 'cjs', 'sh', 'js', 'text', 'json', 'mermaid']);
  expect(blocks.filter(({ language }) => !known.has(language))).toEqual([]);
});
