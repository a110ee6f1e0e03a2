import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { constant, inspectBody, type PolicyOptions, quotaBucket, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { type CostOfResponse, costFromResponse } from '@ebb/providers';
import { resumable } from '@ebb/resume/fetch';
import { resumable as resumingUndici } from '@ebb/resume/undici';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios, { type AxiosRequestConfig } from 'axios';
import nodeFetch3 from 'node-fetch';
// @ts-expect-error it comes without types
import nodeFetch2 from 'node-fetch2';
import { Agent, request, fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pairs } from './pairs.ts';

// Bodies that break, over every client and every feature that looks at bodies: all settle as the client does without ebb.

const GZIP = gzipSync(Buffer.alloc(5_000, 'text'));
const HALF = Buffer.alloc(2_000, 'half');

const SERVED: Readonly<Record<string, RequestListener>> = {
  whole: (_, response) => void response.end('{"used":1}'),
  'whole, in parts'(_, response) {
    response.write('{"used":1}', () => setTimeout(() => response.end(), 20));
  },
  cut(_, response) {
    response.setHeader('content-length', 4_000);
    response.write(HALF, () => response.socket?.end());
  },
  reset(_, response) {
    response.write(HALF, () => setTimeout(() => response.socket?.resetAndDestroy(), 5));
  },
  'bad gzip'(_, response) {
    response.setHeader('content-encoding', 'gzip');
    response.end(Buffer.concat([GZIP.subarray(0, 20), Buffer.alloc(40, 'x')]));
  },
  'aborted, held back': (_, response) => void response.write(HALF),
  aborted: (_, response) => void response.end('{"used":1}'),
  'aborted, long': (_, response) => void response.end(Buffer.alloc(400_000, 'long')),
};

/** How long a call that is aborted in its body has to go on before that. */
const HELD_MS = 40;

let origin: string;
const server = createServer((incoming, response) => {
  SERVED[decodeURI(incoming.url?.slice(1) ?? '')]?.(incoming, response);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

type Feature = PolicyOptions & { readonly isResuming?: boolean };

const used: CostOfResponse = async (response) =>
  ((await response.json()) as { used?: number } | undefined)?.used;
const quotas = () => quotaBucket({ limits: { tokens: { refillPerSecond: 1, capacity: 9 } } });

const FEATURES: Readonly<Record<string, () => Feature>> = {
  inspect: () => ({ inspect: inspectBody(async (response) => void (await response.text())) }),
  actualCost: () => ({
    bucket: tokenBucket({ refillPerSecond: 9, capacity: 9 }),
    cost: 2,
    actualCost: costFromResponse(used),
  }),
  resuming: () => ({ isResuming: true }),
  settled: () => ({ bucket: quotas(), cost: { tokens: 2 }, actualCost: costFromResponse(() => undefined) }),
  'inspect and actualCost': () => ({ ...FEATURES.inspect?.(), ...FEATURES.actualCost?.() }),
};

/** Begins a request, and returns a function that reads its body. */
type Client = (url: string, signal: AbortSignal, feature?: Feature) => Promise<() => Promise<unknown>>;

function overFetch(base: typeof fetch, isStreamed = false): Client {
  return async (url, signal, feature) => {
    const { isResuming, ...policy } = feature ?? {};
    const own = feature === undefined ? base : createFetch({ maxRetries: 0, ...policy }, base);
    const response = await (isResuming ? resumable(own) : own)(url, { signal });
    return () => (isStreamed ? textOf(response.body as never) : response.text());
  };
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

function overAxios(config: AxiosRequestConfig): Client {
  return async (url, signal, feature) => {
    const { isResuming, ...policy } = feature ?? {};
    const own = axios.create(config);
    if (feature) own.interceptors.request.use(ebbAxios({ maxRetries: 0, ...policy }));
    const { data } = await own.get(url, { signal });
    return () => (config.responseType === 'stream' ? textOf(data as Readable) : data);
  };
}

const overUndici: Client = async (url, signal, feature) => {
  const { isResuming, ...policy } = feature ?? {};
  let dispatcher: InstanceType<typeof Agent> = new Agent();
  if (feature) dispatcher = dispatcher.compose(ebbUndici({ maxRetries: 0, ...policy })) as typeof dispatcher;
  if (isResuming) dispatcher = dispatcher.compose(resumingUndici()) as typeof dispatcher;
  const { body } = await request(url, { signal, dispatcher });
  return () => body.text();
};

/** A mock as tests have them: a response of its own over a web stream. */
const mock: typeof fetch = async (input, init) => {
  const { body, headers, status } = await fetch(input, init);
  return new Response(body, { headers, status });
};

const CLIENTS: Readonly<Record<string, Client>> = {
  'the fetch of Node': overFetch(fetch),
  'the fetch of Node, a stream': overFetch(fetch, true),
  "undici's fetch": overFetch(undiciFetch as never),
  'node-fetch 3': overFetch(nodeFetch3 as never),
  'node-fetch 2': overFetch(nodeFetch2 as never),
  'a mock': overFetch(mock),
  axios: overAxios({}),
  'axios, a stream': overAxios({ responseType: 'stream' }),
  'axios over fetch': overAxios({ adapter: 'fetch' }),
  'axios over fetch, a stream': overAxios({ adapter: 'fetch', responseType: 'stream' }),
  undici: overUndici,
};

/** The bytes that a caller gets, or the kind of its error. */
async function settles(client: Client, what: string, feature?: Feature): Promise<string> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const ends = what.endsWith('held back') ? setTimeout(abort, HELD_MS) : undefined;
  const reading = async (): Promise<string> => {
    const read = await client(origin + what, controller.signal, feature);
    if (ends === undefined && what.startsWith('aborted')) abort();
    return `text of ${String(JSON.stringify(await read())).length}`;
  };
  const hangs = new Promise<string>((resolve) => setTimeout(resolve, 4_000, 'never'));
  try {
    return await Promise.race([reading(), hangs]);
  } catch (error) {
    const { name, code } = error as { name: string; code?: unknown };
    return `${name} ${String(code)}`;
  } finally {
    clearTimeout(ends);
  }
}

const combinations = Object.keys(CLIENTS).flatMap((client) =>
  Object.keys(SERVED).flatMap((what) =>
    Object.keys(FEATURES).map((feature) => [client, what, feature] as const),
  ),
);

test.concurrent.each(pairs(combinations, (one) => one))('%s, %s, with %s', async (name, what, feature) => {
  const client = CLIENTS[name] as Client;
  const bare = settles(client, what);
  const withEbb = settles(client, what, { backoff: constant(0), ...FEATURES[feature]?.() });
  expect(await withEbb).toBe(await bare);
});
