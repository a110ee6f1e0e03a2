import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { serve } from '../serve.ts';
import type { Upstream } from '../server.ts';

/** Starts a server of empty pages, and returns its URL. */
export async function emptyPage(): Promise<string> {
  const headers = { 'content-type': 'text/html' };
  return (await serve({ status: 200, headers, body: '<!doctype html>' })).url;
}

/** Expects a page to log these lines. A script may be added to it. */
export async function expectLog(
  browser: Browser,
  url: string,
  upstream: Upstream,
  lines: string,
  script?: string,
): Promise<void> {
  const page = await browser.newPage();
  const logged: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'log') logged.push(`${message.text()}\n`);
  });
  page.on('pageerror', (error) => logged.push(`${error}\n`));
  await page.addInitScript((to) => Object.assign(globalThis, { upstreamUrl: to }), upstream.url);
  await page.goto(url);
  if (script !== undefined) await page.addScriptTag({ content: script, type: 'module' });
  await expect.poll(() => logged.join('')).toBe(lines);
  await page.close();
}
