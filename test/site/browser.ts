import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Why the site cannot be opened in a browser, if that is so. */
export const missing: string | undefined = existsSync(CHROMIUM)
  ? undefined
  : `there is no ${CHROMIUM}; install it with "apt-get install chromium"`;

type Visit = (
  path: string,
  options: BrowserContextOptions,
  act: (page: Page) => Promise<void>,
) => Promise<void>;

/** Starts a browser for the tests of a file. */
export function visitor(): Visit {
  const site = inject('site');
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  });
  afterAll(() => browser.close());

  /** Opens a page and acts on it. Fails on errors and warnings of the page, and on requests to other hosts. */
  return async (path, options, act) => {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (said) => {
      if (['error', 'warning'].includes(said.type())) complaints.push(said.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      const url = request.url();
      if (!/^(data:|blob:)/.test(url) && !url.startsWith(site)) complaints.push(`request to ${url}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
    });
    await page.goto(site + path, { waitUntil: 'networkidle' });
    await act(page);
    expect(complaints).toEqual([]);
    await context.close();
  };
}
