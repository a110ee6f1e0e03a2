import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { constant, createPolicy } from '@ebb/core';
import { hedged } from '@ebb/hedge/undici';
import { resumable } from '@ebb/resume/undici';
import { ebbInterceptor } from '@ebb/undici';
import * as undici8 from 'undici';
import * as undici7 from 'undici7';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

type Undici = typeof undici8;
type Interceptor = undici8.Dispatcher.DispatcherComposeInterceptor;

const versions = { 'undici 7.30': undici7 as unknown as Undici, 'undici 8.12': undici8 };

const body = 'x'.repeat(200_000);
const server = createServer(({ url = '' }, response) => {
  if (url === '/moved') response.writeHead(302, { location: '/gzip' }).end();
  else if (url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
  else if (url === '/cut') {
    response
      .writeHead(200, { 'content-length': '400000', etag: '"a"' })
      .write(body, () => response.destroy());
  } else if (url === '/badzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all');
  else if (url === '/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    response.write(gzipSync(`data: ${body}\n\n`));
  } else response.writeHead(200, { 'content-length': String(body.length), etag: '"a"' }).end(body);
});
let origin = '';
const uncaught: unknown[] = [];
const catchIt = (error: unknown): void => void uncaught.push(error);
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.on('uncaughtException', catchIt).on('unhandledRejection', catchIt);
});
afterAll(() => {
  process.off('uncaughtException', catchIt).off('unhandledRejection', catchIt);
  server.closeAllConnections();
  server.close();
});

const policy = createPolicy({ backoff: constant(0), maxRetries: 1 });
const ours: Readonly<Record<string, () => Interceptor>> = {
  ebb: () => ebbInterceptor(policy),
  hedge: () => hedged({ policy }),
  resuming: () => resumable(),
};
const theirs: Readonly<Record<string, (undici: Undici) => Interceptor>> = {
  decompress: ({ interceptors }) => interceptors.decompress(),
  redirect: ({ interceptors }) => interceptors.redirect({ maxRedirections: 2 }),
  responseError: ({ interceptors }) => interceptors.responseError(),
  cache: ({ interceptors }) => interceptors.cache(),
  dns: ({ interceptors }) => interceptors.dns(),
  retry: ({ interceptors }) => interceptors.retry({ maxRetries: 1, minTimeout: 0, maxTimeout: 0 }),
};

/** Every order of some. */
function orders<T>(all: readonly T[]): readonly (readonly T[])[] {
  return all.length < 2
    ? [all]
    : all.flatMap((one, at) => orders(all.filter((_, other) => other !== at)).map((rest) => [one, ...rest]));
}

/** What a caller does with a response. */
const readers: Readonly<
  Record<string, (undici: Undici, dispatcher: undici8.Dispatcher, url: string) => Promise<unknown>>
> = {
  'reads all': async ({ request }, dispatcher, url) => (await request(url, { dispatcher })).body.text(),
  'destroys its writable': ({ stream }, dispatcher, url) =>
    stream(url, { dispatcher, method: 'GET' }, () => {
      const sink = new Writable({
        write(_chunk, _encoding, done) {
          done();
          setImmediate(() => sink.destroy());
        },
      });
      return sink;
    }),
  'fails in its writable': ({ stream }, dispatcher, url) =>
    stream(
      url,
      { dispatcher, method: 'GET' },
      () => new Writable({ write: (_chunk, _encoding, done) => done(new Error('full')) }),
    ),
  'destroys the body': async ({ request }, dispatcher, url) => {
    const response = await request(url, { dispatcher });
    response.body.on('error', () => undefined).destroy();
  },
  'aborts while it reads': async ({ request }, dispatcher, url) => {
    const controller = new AbortController();
    const response = await request(url, { dispatcher, signal: controller.signal });
    for await (const _ of response.body) controller.abort();
  },
  'pipes to what is destroyed': async ({ pipeline }, dispatcher, url) => {
    const through = pipeline(url, { dispatcher, method: 'GET' }, ({ body: from }) =>
      from.pipe(new PassThrough()),
    );
    through.on('error', () => undefined).end();
    through.once('data', () => through.destroy());
    await once(through, 'close');
  },
};

/** Bytes, or the name of the error. */
async function resultOf(run: Promise<unknown>): Promise<string> {
  const late = new Promise((_, reject) => setTimeout(reject, 5_000, new Error('does not settle')).unref());
  return Promise.race([run, late]).then(
    (value) => (typeof value === 'string' ? `${value.length} bytes` : 'done'),
    (error: unknown) =>
      (error as Error | undefined)?.message === 'does not settle' ? 'does not settle' : 'fails',
  );
}

/** What a reader gets, and what no one has caught. */
async function play(
  undici: Undici,
  chain: readonly Interceptor[],
  read: string,
  path: string,
): Promise<readonly string[]> {
  const agent = new undici.Agent();
  try {
    const result = await resultOf(
      (readers[read] as (typeof readers)[string])(undici, agent.compose(...chain), `${origin}${path}`),
    );
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const escaped = new Set(
      uncaught.splice(0).map((error) => (error instanceof Error ? error.message : typeof error)),
    );
    return [read, path, result, ...escaped];
  } finally {
    await agent.destroy();
  }
}

const chains = [
  ['decompress', 'ebb', 'resuming'],
  ['ebb', 'hedge', 'resuming'],
  ['decompress', 'ebb', 'hedge'],
  ['redirect', 'ebb', 'resuming'],
  ['responseError', 'ebb', 'resuming'],
  ['cache', 'ebb', 'resuming'],
  ['dns', 'ebb', 'resuming'],
  ['retry', 'ebb', 'resuming'],
].flatMap((names) => orders(names));

const PATHS = ['/plain', '/gzip', '/moved', '/cut', '/badzip'];

describe.each(Object.entries(versions))('%s', (_version, undici) => {
  const make = (name: string): Interceptor => (ours[name]?.() ?? theirs[name]?.(undici)) as Interceptor;

  test.each(chains.map((chain) => [chain.join(', '), chain] as const))('%s', async (_, chain) => {
    for (const read of Object.keys(readers)) {
      for (const path of PATHS) {
        const bare = await play(undici, chain.filter((name) => name in theirs).map(make), read, path);
        const got = await play(undici, chain.map(make), read, path);
        expect(bare).toEqual(expect.arrayContaining([...got]));
      }
    }
  });
});
