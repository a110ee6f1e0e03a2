// Runs calls of fetch in a server component, with the fetch of Next.js itself, and prints the statuses that they got and how
// many requests were sent. Run with `--conditions=react-server`, as Next.js does.
import { createRequire } from 'node:module';
import { constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { upstream } from '../server.ts';

const require = createRequire(import.meta.url);
require('next/dist/server/node-environment-baseline.js');
const React = require('react');
const { renderToReadableStream } = require('next/dist/compiled/react-server-dom-webpack/server.node.js');
const { patchFetch } = require('next/dist/server/lib/patch-fetch.js');
const { workAsyncStorage } = require('next/dist/server/app-render/work-async-storage.external.js');
const { workUnitAsyncStorage } = require('next/dist/server/app-render/work-unit-async-storage.external.js');

// Made before the patch, as in a module that Next.js loads early.
const ebb = createFetch({ backoff: constant(0) }, (input, init) =>
  globalThis.fetch(input, init),
) as typeof fetch;
patchFetch({ workAsyncStorage, workUnitAsyncStorage });

/** A server component that sends. */
async function Page({ run }: { run: () => Promise<void> }): Promise<null> {
  await run();
  return null;
}

/** Renders a component that calls `send`; with a work store Next.js applies its cache rules as well. */
async function render(send: () => Promise<unknown>, hasStore: boolean): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const run = (): Promise<void> => send().then(resolve, reject);
  const page = (): ReadableStream => renderToReadableStream(React.createElement(Page, { run }), {});
  const stream = hasStore ? workAsyncStorage.run({ route: '/', nextFetchId: 1 }, page) : page();
  await new Response(stream).text();
  return promise;
}

const threeTimes = async (call: () => Promise<Response>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await call()).status);
  return statuses;
};
const once = async (call: () => Promise<Response>): Promise<number[]> => [(await call()).status];

const rows: Record<string, (url: string) => Promise<number[]>> = {
  'Next.js alone': (url) => threeTimes(() => fetch(url)),
  'Next.js alone, a Request with a signal': (url) =>
    threeTimes(() => fetch(new Request(url), { signal: new AbortController().signal })),
  'ebb, a URL': (url) => once(() => ebb(url)),
  'ebb, no-store': (url) => once(() => ebb(url, { cache: 'no-store' })),
  'ebb, revalidate': (url) => once(() => ebb(url, { next: { revalidate: 60, tags: ['a'] } } as RequestInit)),
  'ebb, a Request': (url) => once(() => ebb(new Request(url))),
  'ebb, a Request and next': (url) =>
    once(() => ebb(new Request(url), { next: { revalidate: 60 } } as RequestInit)),
  'ebb, two places': async (url) => [...(await once(() => ebb(url))), ...(await once(() => ebb(url)))],
  'ebb, a good answer at two places': async (url) => {
    const good = new URL('good', url).href;
    return [...(await once(() => ebb(good))), ...(await once(() => ebb(good)))];
  },
};

const results: Record<string, unknown> = {};
for (const [name, send] of Object.entries(rows)) {
  for (const hasStore of [false, true]) {
    const down = { status: 503, body: 'down' };
    const up = { status: 200, body: 'up' };
    const server = await upstream(name.includes('good') ? [up] : [down, down, up]);
    const statuses = await render(() => send(server.url), hasStore);
    results[hasStore ? `${name}, with its cache rules` : name] = { statuses, sent: server.seen.length };
    await server.close();
  }
}
console.log(JSON.stringify(results));
process.exit();
