import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, noChromium } from '../chromium.ts';
import { type Upstream, upstream } from '../server.ts';

if (noChromium !== undefined) console.warn(`runUntilSettled is not tested in a browser: ${noChromium}.`);

/** Runs in the page, and in a worker of it. */
const PROGRAM = `
  import { createPolicy, constant } from '@ebb/core';
  import { virtualClock } from '@ebb/core/testing';
  import { createFetch } from '@ebb/fetch';

  globalThis.perform = async (url) => {
    const clock = virtualClock({ startMs: 0 });
    const policy = createPolicy({ clock, attemptTimeoutMs: 50_000, backoff: constant(60_000) });
    const patience = { ioMs: 10_000, realTimeoutMs: 40_000 };
    const { status } = await clock.runUntilSettled(createFetch(policy)(url), patience);
    const never = await clock.runUntilSettled(new Promise(() => {}), { realTimeoutMs: 20 }).catch(String);
    return { status, nowMs: clock.now(), pending: clock.pending, never };
  };
  if (typeof document === 'undefined')
    globalThis.onmessage = async ({ data }) => globalThis.postMessage(await globalThis.perform(data));
`;

type Globals = typeof globalThis & { perform: (url: string) => Promise<unknown> };

const name = noChromium === undefined ? 'in Chromium' : `SKIPPED: ${noChromium}`;
describe.skipIf(noChromium !== undefined)(name, () => {
  let script: string;
  let server: Upstream;
  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: PROGRAM, resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'neutral',
      conditions: ['@ebb/source'],
    });
    script = outputFiles[0]?.text ?? '';
    server = await upstream([{ status: 503 }, { status: 200 }, { status: 503 }, { status: 200 }], {
      cors: true,
    });
  });
  afterAll(() => server.close());

  test('a page and a worker wait for real responses, and for no longer than the bound', async () => {
    await using browser = await launchChromium();
    const page = await browser.newPage();
    await page.addScriptTag({ content: script });
    const inPage = await page.evaluate((url) => (globalThis as Globals).perform(url), server.url);
    const inWorker = await page.evaluate(
      ([script, url]) => {
        const worker = new Worker(URL.createObjectURL(new Blob([script])));
        worker.postMessage(url);
        return new Promise<unknown>((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
        });
      },
      [script, server.url] as const,
    );
    const expected = {
      status: 200,
      nowMs: 60_000,
      pending: 0,
      never: expect.stringContaining('did not settle within 20 ms of real time'),
    };
    expect([inPage, inWorker]).toEqual([expected, expected]);
  });
});
