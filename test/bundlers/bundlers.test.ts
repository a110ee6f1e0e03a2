// Programs of a user with the packed packages, bundled as each tool documents, and run in Node and in Chromium.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launchChromium, noChromium } from '../chromium.ts';
import { OF_BUCKET, OF_NODE } from './names.ts';
import { emptyPage, expectLog } from './page.ts';
import { failingOnce, printed, retried } from './run.ts';

const dist = join(inject('project'), 'dist');

interface Bundler {
  readonly name: string;
  /** The bundle for Node. */
  readonly node?: string;
  /** Those for browsers. */
  readonly web: readonly string[];
  /** Whether it drops what a program does not use. */
  readonly shakes: boolean;
}

const BUNDLERS: readonly Bundler[] = [
  { name: 'esbuild', node: 'esbuild/node.cjs', web: ['esbuild/web.js'], shakes: true },
  { name: 'webpack', node: 'webpack/node.cjs', web: ['webpack/web.js'], shakes: true },
  { name: 'rollup', node: 'rollup/node.js', web: ['rollup/web.js'], shakes: true },
  { name: 'vite', node: 'vite-server/node.js', web: ['vite/web.js'], shakes: true },
  { name: 'metro', web: ['metro/web.js', 'metro/ios.js'], shakes: false },
];

let browser: Browser;
beforeAll(async () => {
  if (noChromium === undefined) browser = await launchChromium();
});
afterAll(() => browser?.close());

const ALL = ['fetch', 'axios', 'undici'];
const OF_WEB = ['fetch', 'axios'];
const IN_NODE = ['--import', './src/upstream.js'];

test('fetch, axios and undici retry by `node --run`, without a bundler', async () => {
  expect(await printed(['--run', 'start'], await failingOnce(...ALL))).toBe(retried(...ALL));
});

describe.each(BUNDLERS)('$name', ({ name, node, web, shakes }) => {
  beforeAll(() => printed(['--run', name]));
  const text = (path = ''): string => readFileSync(join(dist, path), 'utf8');

  test.runIf(node)('fetch, axios and undici retry in Node', async () => {
    const upstream = await failingOnce(...ALL);
    expect(await printed([...IN_NODE, `dist/${node}`], upstream)).toBe(retried(...ALL));
    expect(text(node)).toMatch(OF_NODE);
  });

  describe.each(web)('%s', (path) => {
    test('imports nothing of Node', () => {
      expect(text(path)).not.toMatch(OF_NODE);
    });

    test('fetch and axios retry in Node', async () => {
      const upstream = await failingOnce(...OF_WEB);
      expect(await printed([...IN_NODE, `dist/${path}`], upstream)).toBe(retried(...OF_WEB));
    });

    test.skipIf(noChromium)('fetch and axios retry in Chromium', async () => {
      const upstream = await failingOnce(...OF_WEB);
      await expectLog(browser, await emptyPage(), upstream, retried(...OF_WEB), text(path));
    });

    test.runIf(shakes)('holds nothing of the bucket', () => {
      expect(text(path)).not.toContain(OF_BUCKET);
      expect(text(node)).toContain(OF_BUCKET);
    });
  });
});
