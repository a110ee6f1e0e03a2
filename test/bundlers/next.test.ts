// A program of Next.js: a route handler with a bucket, and a page whose script sends from the browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchChromium, noChromium } from '../chromium.ts';
import type { Upstream } from '../server.ts';
import { OF_BUCKET, OF_NODE } from './names.ts';
import { expectLog } from './page.ts';
import { envOf, failingOnce, printed, retried } from './run.ts';

const project = inject('project');
let browser: Browser;
beforeAll(async () => {
  if (noChromium === undefined) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** Starts what was built, and calls `use` with its URL. */
async function started(upstream: Upstream, use: (url: string) => Promise<void>): Promise<void> {
  const args = ['node_modules/next/dist/bin/next', 'start', '--port', '0', '--hostname', '127.0.0.1'];
  const child = spawn(process.execPath, args, { cwd: project, env: envOf(upstream) });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [url] = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(line) ?? [];
      if (url !== undefined) return await use(url);
    }
    expect.fail('`next start` has ended');
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

describe.each(['turbopack', 'webpack'])('Next.js, built by %s', (bundler) => {
  beforeAll(async () => {
    rmSync(join(project, '.next'), { recursive: true, force: true });
    await printed(['node_modules/next/dist/bin/next', 'build', `--${bundler}`]);
  });
  const texts = (folder: string): string[] =>
    globSync(`.next/${folder}/**/*.js`, { cwd: project }).map((path) =>
      readFileSync(join(project, path), 'utf8'),
    );

  test('a route handler retries', async () => {
    const upstream = await failingOnce('fetch');
    await started(upstream, async (url) => {
      const response = await fetch(`${url}/api`);
      expect(await response.text()).toBe(retried('fetch'));
    });
  });

  test.skipIf(noChromium)('fetch and axios of a page retry in Chromium', async () => {
    const upstream = await failingOnce('fetch', 'axios');
    await started(upstream, (url) => expectLog(browser, url, upstream, retried('fetch', 'axios')));
  });

  test('the scripts of the page import nothing of Node', () => {
    const scripts = texts('static');
    expect(scripts.some((text) => text.includes('@ebb/core'))).toBe(true);
    for (const text of scripts) expect(text).not.toMatch(OF_NODE);
  });

  test('the scripts of the page hold nothing of the bucket', () => {
    expect(texts('server').join('')).toContain(OF_BUCKET);
    expect(texts('static').join('')).not.toContain(OF_BUCKET);
  });
});
