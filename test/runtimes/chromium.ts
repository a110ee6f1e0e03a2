import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium as playwright } from 'playwright-core';
import { bundle } from './bundle.ts';
import type { Perform } from './runner.ts';
import type { Startable } from './runtime.ts';

const PATH = '/usr/bin/chromium';
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  '--js-flags=--expose-gc',
];

/** Debian's Chromium. The runner is a script in an empty page. */
export const chromium: Startable = {
  name: 'Chromium',
  missing: existsSync(PATH) ? undefined : `there is no ${PATH}; "apt-get install chromium" gets it`,
  async start(client) {
    const pages = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>ebb</title>');
    });
    pages.listen(0, '127.0.0.1');
    const [browser, script] = await Promise.all([
      playwright.launch({ executablePath: PATH, args: FLAGS }),
      bundle(client, 'Object.assign(globalThis, { perform });', 'web'),
      once(pages, 'listening'),
    ]);
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.addScriptTag({ content: script });
    type Globals = { perform: Perform };
    return {
      async perform(job, input) {
        return page.evaluate(
          ([job, input]) => (globalThis as unknown as Globals).perform(job, input) as Promise<never>,
          [job, input] as const,
        );
      },
      async [Symbol.asyncDispose]() {
        await browser.close();
        pages.closeAllConnections();
        pages.close();
      },
    };
  },
};
