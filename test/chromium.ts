import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** Where Debian's package puts it. */
const PATH = '/usr/bin/chromium';
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Why Chromium cannot be started, and how to install it; `undefined` if it is there. */
export const noChromium: string | undefined = existsSync(PATH)
  ? undefined
  : `there is no ${PATH}; install it with "apt-get install chromium"`;

export function launchChromium(...flags: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: [...FLAGS, ...flags] });
}

/**
 * Opens a page of a site, in a context of its own, and acts on it. Fails on errors and warnings of the page, on requests that
 * fail, and on requests to other hosts.
 */
export async function visit(
  browser: Browser,
  site: string,
  path: string,
  options: BrowserContextOptions,
  act: (page: Page) => Promise<void>,
): Promise<void> {
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
  page.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {};
    // A page that is left cancels the pages that it fetches ahead.
    if (errorText !== 'net::ERR_ABORTED') complaints.push(`${request.url()} failed: ${errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
  });
  await page.goto(site + path, { waitUntil: 'networkidle' });
  await act(page);
  expect(complaints).toEqual([]);
  await context.close();
}
