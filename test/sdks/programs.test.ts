import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { blocksOf } from '../page-blocks.ts';
import { startPageUpstream } from './page-upstream.ts';

const programs = blocksOf('docs/sdks.md').filter(({ language }) => language === 'ts');

// Inside test/sdks, so that the SDKs resolve.
const folder = mkdtempSync(join(import.meta.dirname, '.page-'));
symlinkSync(join(import.meta.dirname, 'gen'), join(folder, 'gen'));
afterAll(() => rmSync(folder, { recursive: true }));

const aws = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
const preload = join(import.meta.dirname, 'page-preload.ts');

test.concurrent.each(programs.map((block) => [`line ${block.line}`, block] as const))(
  'the program on the page runs, and ebb sends its refused request again: %s',
  async (name, { code }) => {
    const server = await startPageUpstream();
    const file = join(folder, `${name.replace(' ', '-')}.ts`);
    writeFileSync(file, code);
    const env = {
      ...process.env,
      ...aws,
      AWS_ENDPOINT_URL: server.url,
      UPSTREAM_URL: server.url,
      NODE_OPTIONS: '',
    };
    try {
      const args = ['--conditions=@ebb/source', `--import=${preload}`, file];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 50_000 });
      expect(stdout).not.toBe('');
      expect(server.requests).toBeGreaterThan(1);
    } finally {
      server.close();
    }
  },
);

test('there is a program for every client', () => {
  expect(programs.length).toBeGreaterThan(16);
});
