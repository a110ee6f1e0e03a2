import { execFileSync } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { type Costs, concurrencyLimit, constant, inspectBody, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { costFromResponse } from '@ebb/providers';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios, { type AxiosRequestConfig } from 'axios';
import { Agent, request, fetch as undiciFetch } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { ownBucket } from '../packages/core/test/own.ts';
import { until } from './until.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server whose responses a test writes. */
async function serving(respond: (response: ServerResponse, hit: number) => unknown): Promise<string> {
  let hits = 0;
  const server = createServer((_, response) => {
    hits += 1;
    respond(response, hits);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A bucket that notes what its grants are settled with. */
function noted() {
  const settled: (number | Costs)[] = [];
  const bucket = ownBucket({
    tryAcquire: () => ({
      cost: 100,
      waitedMs: 0,
      grantedAtMs: 0,
      conforming: true,
      settle: (actual: number | Costs) => void settled.push(actual),
    }),
    acquire: () => Promise.reject(new Error('it never waits')),
  });
  return { settled, bucket };
}

interface Usage {
  readonly usage?: { readonly input?: number; readonly output?: number } | null;
}

/** Of JSON, or of an event: its `usage`, by unit. */
const actualCost = costFromResponse(async (response) => {
  if (response.status === 429) return 0;
  return ((await response.json()) as Usage | undefined)?.usage as Costs | undefined;
});

/** Reads all that it can. */
const inspectsAll = inspectBody(async (response) => {
  await response.firstEvent();
  await response.json();
  return undefined;
});

type Read = (url: string, options: PolicyOptions) => Promise<string>;

const overAxios =
  (config: AxiosRequestConfig): Read =>
  async (url, options) => {
    const client = axios.create({ validateStatus: () => true, ...config });
    client.interceptors.request.use(ebbAxios(options));
    const { data } = await client.get(url);
    if (data instanceof Readable) return (await data.toArray()).join('');
    if (data instanceof ReadableStream) return new Response(data).text();
    return typeof data === 'string' ? data : JSON.stringify(data);
  };

const clients: Readonly<Record<string, Read>> = {
  'fetch, text()': async (url, options) => (await createFetch(options)(url)).text(),
  'fetch, bytes': async (url, options) =>
    Buffer.from(await (await createFetch(options)(url)).arrayBuffer()).toString(),
  'fetch, the stream': async (url, options) => {
    let text = '';
    const { body } = await createFetch(options)(url);
    const decoder = new TextDecoder();
    for await (const part of body as unknown as AsyncIterable<Uint8Array>)
      text += decoder.decode(part, { stream: true });
    return text;
  },
  'fetch, a clone first': async (url, options) => {
    const response = await createFetch(options)(url);
    const copy = await response.clone().text();
    expect(await response.text()).toBe(copy);
    return copy;
  },
  axios: overAxios({}),
  'axios, a stream of Node': overAxios({ responseType: 'stream' }),
  'axios over fetch': overAxios({ adapter: 'fetch' }),
  'axios over fetch, a stream': overAxios({ adapter: 'fetch', responseType: 'stream' }),
  undici: async (url, options) => {
    const dispatcher = new Agent().compose(ebbUndici(options));
    return (await request(url, { dispatcher })).body.text();
  },
  'fetch of undici': async (url, options) => {
    const dispatcher = new Agent().compose(ebbUndici(options));
    return (await undiciFetch(url, { dispatcher })).text();
  },
};

const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = [
  'event: message_start\ndata: {"usage":{"input":25}}\n\n',
  'event: ping\ndata: {}\n\n',
  'data: {"text":"à la carte"}\n\n',
  'event: message_delta\ndata: {"usage":{"output":15}}\n\n',
  'data: {"usage":null}\n\ndata: [DONE]\n\n',
].join('');

/** Writes a body in parts that end anywhere, each in a turn of its own. */
async function inParts(response: ServerResponse, body: Uint8Array, length = 7): Promise<void> {
  for (let at = 0; at < body.length; at += length) {
    response.write(body.subarray(at, at + length));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

interface Row {
  readonly story: string;
  readonly respond: (response: ServerResponse, hit: number) => unknown;
  readonly body: string;
  readonly settled: readonly (number | Costs)[];
  readonly options?: PolicyOptions;
}

const rows: readonly Row[] = [
  {
    story: 'JSON',
    respond: (response) => response.writeHead(200, JSON_TYPE).end('{"usage":{"input":3,"output":4}}'),
    body: '{"usage":{"input":3,"output":4}}',
    settled: [{ input: 3, output: 4 }],
  },
  {
    story: 'JSON that an inspection has read',
    respond: (response) => response.writeHead(200, JSON_TYPE).end('{"usage":{"input":3,"output":4}}'),
    body: '{"usage":{"input":3,"output":4}}',
    settled: [{ input: 3, output: 4 }],
    options: { inspect: inspectsAll },
  },
  {
    story: 'JSON that is longer than the bound says nothing',
    respond: (response) => response.writeHead(200, JSON_TYPE).end(`{"text":"${'x'.repeat(70_000)}"}`),
    body: `{"text":"${'x'.repeat(70_000)}"}`,
    settled: [100],
  },
  {
    story: 'an event stream, unit by unit',
    respond: (response) => inParts(response.writeHead(200, SSE), Buffer.from(EVENTS)),
    body: EVENTS,
    settled: [{ input: 25, output: 15 }],
  },
  {
    story: 'an event stream beside an inspection and a slot',
    respond: (response) => inParts(response.writeHead(200, SSE), Buffer.from(EVENTS)),
    body: EVENTS,
    settled: [{ input: 25, output: 15 }],
    options: { concurrency: concurrencyLimit({ maxConcurrent: 1 }), inspect: inspectsAll },
  },
  {
    story: 'an event stream that is encoded',
    respond: (response) =>
      inParts(response.writeHead(200, { ...SSE, 'content-encoding': 'gzip' }), gzipSync(Buffer.from(EVENTS))),
    body: EVENTS,
    settled: [{ input: 25, output: 15 }],
  },
  {
    story: 'an event stream that says nothing is settled as it was taken',
    respond: (response) => response.writeHead(200, SSE).end('data: 1\n\n'),
    body: 'data: 1\n\n',
    settled: [100],
  },
  {
    story: 'each attempt by itself',
    respond: (response, hit) =>
      hit === 1
        ? response.writeHead(429, JSON_TYPE).end('{}')
        : inParts(response.writeHead(200, SSE), Buffer.from(EVENTS)),
    body: EVENTS,
    settled: [0, { input: 25, output: 15 }],
  },
];

describe.each(Object.entries(clients))('%s', (name, read) => {
  test.each(rows)('$story', async ({ respond, body, settled, options }) => {
    const isEncoded = rows[5]?.respond === respond && name === 'undici';
    const url = await serving(respond);
    const found = noted();
    const policy = { backoff: constant(0), bucket: found.bucket, actualCost, ...options };
    const got = await read(url, policy);
    // undici.request does not decode.
    if (!isEncoded) expect(got).toBe(body);
    await until(() => found.settled.length >= settled.length);
    expect(found.settled).toEqual(settled);
  });

  test('an event stream that breaks is settled with what has come', async () => {
    const url = await serving((response) => {
      response.writeHead(200, { ...SSE, 'content-length': '1000' });
      response.write('data: {"usage":{"input":25}}\n\ndata: {"usage":{"outp');
      setTimeout(() => response.destroy(), 30);
    });
    const found = noted();
    await expect(read(url, { maxRetries: 0, bucket: found.bucket, actualCost })).rejects.toThrow();
    // A client that has the whole body first has no response, and its tokens stay as they were taken.
    const isWhole = name === 'axios' || name === 'axios over fetch';
    if (isWhole) expect(found.settled).toEqual([]);
    else {
      await until(() => found.settled.length > 0);
      expect(found.settled).toEqual([{ input: 25 }]);
    }
  });
});

test('who has read a body to its end with fetch finds its tokens settled', async () => {
  const url = await serving((response) => response.writeHead(200, JSON_TYPE).end('{"usage":{"input":25}}'));
  const { bucket, settled } = noted();
  await (await createFetch({ bucket, actualCost })(url)).text();
  expect(settled).toEqual([{ input: 25 }]);
});

describe('an event stream that is cancelled', () => {
  const streaming = (response: ServerResponse): void => {
    response.writeHead(200, SSE).write('data: {"usage":{"input":25}}\n\n');
  };

  test('fetch', async () => {
    const found = noted();
    const response = await createFetch({ bucket: found.bucket, actualCost })(await serving(streaming));
    const reader = (response.body as ReadableStream).getReader();
    await reader.read();
    await reader.cancel();
    await until(() => found.settled.length > 0);
    expect(found.settled).toEqual([{ input: 25 }]);
  });

  test('fetch, by its signal, unread', async () => {
    const found = noted();
    const aborting = new AbortController();
    const fetch = createFetch({ bucket: found.bucket, actualCost });
    await fetch(await serving(streaming), { signal: aborting.signal });
    aborting.abort();
    await until(() => found.settled.length > 0);
    expect(found.settled).toEqual([100]);
  });

  test('undici', async () => {
    const found = noted();
    const dispatcher = new Agent().compose(ebbUndici({ bucket: found.bucket, actualCost }));
    const { body } = await request(await serving(streaming), { dispatcher });
    body.on('error', () => undefined);
    body.destroy();
    await until(() => found.settled.length > 0);
    expect(found.settled).toEqual([{ input: 25 }]);
  });

  test.each(['http', 'fetch'] as const)('axios over %s', async (adapter) => {
    const found = noted();
    const client = axios.create({ adapter, responseType: 'stream' });
    client.interceptors.request.use(ebbAxios({ bucket: found.bucket, actualCost }));
    const { data } = await client.get(await serving(streaming));
    if (adapter === 'http') data.destroy();
    else await data.cancel();
    await until(() => found.settled.length > 0);
    expect(found.settled).toEqual([adapter === 'http' ? { input: 25 } : 100]);
  });
});

// In a program of its own: under vitest no response is ever collected.
test('a stream that is collected unread settles its tokens, and frees its slot', () => {
  const program = new URL('collected-stream.ts', import.meta.url).pathname;
  const options = { encoding: 'utf8', timeout: 60_000 } as const;
  const output = execFileSync(
    process.execPath,
    ['--expose-gc', '--conditions=@ebb/source', program],
    options,
  );
  expect(output.trim()).toBe('settled 100, slots in use 0');
});
