import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { launchChromium, noChromium } from '../chromium.ts';
import { bundle } from './bundle.ts';
import type { Perform } from './runner.ts';
import type { Startable } from './runtime.ts';

/** Debian's Chromium. The runner is a script in an empty page. */
export const chromium: Startable = {
  name: 'Chromium',
  missing: noChromium,
  async start(client) {
    const pages = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>ebb</title>');
    });
    pages.listen(0, '127.0.0.1');
    const [browser, script] = await Promise.all([
      launchChromium('--js-flags=--expose-gc'),
      bundle(client, 'Object.assign(globalThis, { perform });', 'browser'),
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
