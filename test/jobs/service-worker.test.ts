import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { apiFetch, register } from '../../examples/service-worker/page.ts';
import { launchChromium, noChromium } from '../chromium.ts';

if (noChromium !== undefined) console.warn(`The service worker is not tested: ${noChromium}.`);

type Globals = typeof globalThis & { apiFetch: typeof apiFetch; register: typeof register };

/** A file of the example as one script. */
async function scriptOf(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: `${import.meta.dirname}/../../examples/service-worker` },
    bundle: true,
    write: false,
    format: 'iife',
    conditions: ['@ebb/source'],
  });
  return outputFiles[0]?.text ?? '';
}

const name = noChromium === undefined ? 'a service worker with ebb' : `SKIPPED: ${noChromium}`;
describe.skipIf(noChromium !== undefined)(name, () => {
  let browser: Browser;
  let server: Server;
  let origin: string;
  /** The requests to the API, by their paths. */
  let seen: string[] = [];

  beforeAll(async () => {
    const [worker, page] = await Promise.all([
      scriptOf("import './worker.ts';"),
      scriptOf("import * as page from './page.ts'; Object.assign(globalThis, page);"),
    ]);
    const html = '<!doctype html><title>tea</title><script src="/page.js"></script>';
    const files = new Map([
      ['/', ['text/html', html]],
      ['/page.js', ['text/javascript', page]],
      ['/worker.js', ['text/javascript', worker]],
    ]);
    server = createServer(({ url = '', method }, response) => {
      // Chromium itself repeats a request whose connection was used before and breaks.
      response.setHeader('connection', 'close');
      const [type = '', body = ''] = files.get(url) ?? [];
      if (!url.startsWith('/api/')) return response.setHeader('content-type', type).end(body);
      seen.push(`${method} ${url}`);
      if (url === '/api/broken') return response.destroy();
      const isUp = url === '/api/once' && seen.length > 1;
      return response.writeHead(isUp ? 200 : 503).end(isUp ? 'tea' : 'down');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    seen = [];
  });

  async function open(serviceWorkers: 'allow' | 'block'): Promise<Page> {
    const page = await (await browser.newContext({ serviceWorkers })).newPage();
    await page.goto(origin);
    if (serviceWorkers === 'allow') await page.evaluate(() => (globalThis as Globals).register('/worker.js'));
    return page;
  }

  /** The status and the body, or the name of the error, of a request of the page. */
  function ask(page: Page, by: 'fetch' | 'apiFetch', path: string, method = 'GET'): Promise<string> {
    return page.evaluate(
      async ([by, path, method]) => {
        try {
          const response = await (globalThis as Globals)[by](path, { method });
          return `${response.status} ${await response.text()}`;
        } catch (error) {
          return (error as Error).name;
        }
      },
      [by, path, method] as const,
    );
  }

  test('retries a 503 for a page without ebb', async () => {
    const page = await open('allow');
    expect(await ask(page, 'fetch', '/api/once')).toBe('200 tea');
    expect(seen).toEqual(['GET /api/once', 'GET /api/once']);
  });

  test.each([
    ['a 503', 'GET', '/api/down', 4, '503 down'],
    ['a broken connection', 'GET', '/api/broken', 4, 'TypeError'],
    ['a POST that may have been carried out', 'POST', '/api/down', 1, '503 down'],
  ])('does not multiply with the retries of its page: %s', async (_, method, path, sent, result) => {
    for (const serviceWorkers of ['allow', 'block'] as const) {
      seen = [];
      const page = await open(serviceWorkers);
      expect(await ask(page, 'apiFetch', path, method), serviceWorkers).toBe(result);
      expect(seen, serviceWorkers).toEqual(Array(sent).fill(`${method} ${path}`));
    }
  });
});
