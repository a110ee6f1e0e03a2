import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, inject } from 'vitest';
import { launchChromium, visit } from '../chromium.ts';

type Visit = (
  path: string,
  options: BrowserContextOptions,
  act: (page: Page) => Promise<void>,
) => Promise<void>;

/** Starts a browser for the tests of a file. Returns what opens a page of the site. */
export function visitor(): Visit {
  const site = inject('site');
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  return (path, options, act) => visit(browser, site, path, options, act);
}
