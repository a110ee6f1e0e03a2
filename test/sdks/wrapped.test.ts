import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PolicyOptions, retry } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { request as playwright } from '@playwright/test';
import got from 'got';
import superagent from 'superagent';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { serve } from '../serve.ts';

// They have no types of their own.
const require = createRequire(import.meta.url);
const { JSDOM } = require('jsdom');
const { fetch: whatwgFetch } = require('whatwg-fetch');

/** A policy in virtual time that passes as soon as a retry waits, and the waits. */
function passing() {
  const clock = virtualClock({ startMs: 0 });
  const waitsMs: number[] = [];
  const onEvent: PolicyOptions['onEvent'] = (event) => {
    if (event.type !== 'retry') return;
    waitsMs.push(event.delayMs);
    setImmediate(() => clock.advance(event.delayMs));
  };
  return { options: { clock, onEvent } satisfies PolicyOptions, waitsMs };
}

const DOWN = { status: 503, headers: { 'retry-after': '7' }, body: 'down' };
const OK = { status: 200, headers: { 'access-control-allow-origin': '*' }, body: 'ok' };

/** The clients that the page wraps, as it does. */
const WRAPPED: Readonly<Record<string, (url: string, options: PolicyOptions) => Promise<unknown>>> = {
  superagent: (url, options) => retry(() => superagent.get(url).timeout(5_000), options),
  got: (url, options) => {
    const client = got.extend({ retry: { limit: 0 } });
    return retry(({ signal }) => client(url, { signal }).text(), options);
  },
  Playwright: async (url, options) => {
    const api = await playwright.newContext();
    const call = async () => {
      const response = await api.get(url);
      if (response.ok()) return response;
      const [status, headers] = [response.status(), response.headers()];
      throw Object.assign(new Error(`products: ${status}`), { status, headers });
    };
    return retry(call, options).finally(() => api.dispose());
  },
};

describe.each(Object.entries(WRAPPED))('%s in `retry`', (_, call) => {
  test('waits as long as Retry-After asks', async () => {
    const server = await serve(DOWN, OK);
    const { options, waitsMs } = passing();
    await call(server.url, options);
    expect(server.seen).toHaveLength(2);
    expect(waitsMs.map((ms) => Math.floor(ms / 1_000))).toEqual([7]);
  });

  test('does not send again after a 404', async () => {
    const server = await serve({ status: 404, body: 'no' }, OK);
    await expect(call(server.url, passing().options)).rejects.toThrow(/404|Not Found/);
    expect(server.seen).toHaveLength(1);
  });
});

test('Playwright: the error of failOnStatusCode has no status, so a 404 is sent again', async () => {
  const server = await serve({ status: 404, body: 'no' }, OK);
  const api = await playwright.newContext();
  await retry(() => api.get(server.url, { failOnStatusCode: true }), passing().options);
  expect(server.seen).toHaveLength(2);
  await api.dispose();
});

describe('React Native: whatwg-fetch without DOMException', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('an attempt that hangs ends with its timeout, and is sent again', async () => {
    const server = await serve('hang', OK);
    vi.stubGlobal('XMLHttpRequest', new JSDOM('', { url: server.url }).window.XMLHttpRequest);
    vi.stubGlobal('DOMException', undefined);
    const { options } = passing();
    const hung = new Promise<void>((resolve) => {
      server.onHang = resolve;
    });
    const response = createFetch({ ...options, attemptTimeoutMs: 1_000 }, whatwgFetch)(server.url);
    await hung;
    await options.clock.advance(1_000);
    expect(await (await response).text()).toBe('ok');
    expect(server.seen).toHaveLength(2);
  });
});

describe('SvelteKit', () => {
  // Inside test/sdks, so that the packages resolve.
  const folder = mkdtempSync(join(import.meta.dirname, '.kit-programs-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('an ebb around the fetch of a universal load fails at Retry-After', async () => {
    const server = await serve({ ...DOWN, headers: { ...DOWN.headers, ...OK.headers } }, OK);
    const load = `
      import { createFetch } from '@ebb/fetch';
      export const load = async ({ fetch }) => ({ text: await (await createFetch({}, fetch)('${server.url}')).text() });`;
    const [hooks, page] = [join(folder, 'hooks.ts'), join(folder, 'page.ts')];
    writeFileSync(hooks, '');
    writeFileSync(page, load);
    const host = join(import.meta.dirname, 'hosts/sveltekit.ts');
    const args = ['--conditions=@ebb/source', host, hooks, page];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(stdout).toMatch(/^500 /);
    expect(stdout).toContain('data-sveltekit-fetched');
    expect(server.seen).toHaveLength(1);
  });
});
