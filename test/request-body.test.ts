import { Readable } from 'node:stream';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { constant, type PolicyOptions, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { serve } from './serve.ts';

const clients: Readonly<
  Record<string, (options: PolicyOptions, url: string, body: unknown) => Promise<unknown>>
> = {
  fetch: (options, url, body) =>
    createFetch(options)(url, { method: 'POST', body: body as BodyInit, duplex: 'half' } as RequestInit),
  'fetch, a Request': (options, url, body) =>
    createFetch(options)(
      new Request(url, { method: 'POST', body: body as BodyInit, duplex: 'half' } as RequestInit),
    ),
  axios: (options, url, body) => {
    const client = axios.create({ validateStatus: () => true });
    client.interceptors.request.use(ebbAxios(options));
    return client.post(url, body);
  },
  undici: async (options, url, body) => {
    const dispatcher = new Agent().compose(ebbUndici(options));
    const response = await request(url, { method: 'POST', body: body as string, dispatcher });
    return response.body.dump();
  },
};

/** The body that a policy sees after a response that the server may have worked for. */
async function seen(client: string, body: unknown): Promise<unknown> {
  const server = await serve({ status: 503, body: 'down' });
  const bodies: unknown[] = [];
  const methods: PolicyOptions['methods'] = (traits) => {
    bodies.push(traits.body);
    return false;
  };
  await clients[client]?.({ backoff: constant(0), methods }, server.url, body);
  expect(bodies).toHaveLength(1);
  return bodies[0];
}

const text = '{"query":"{ a }"}';
const bytes = new TextEncoder().encode(text);
const form = () => {
  const made = new FormData();
  made.set('a', '1');
  return made;
};
const web = () => new Blob([text]).stream();
const node = () => Readable.from([bytes]);
async function* generated() {
  yield bytes;
}

/** The very value that the client was given. */
const SAME = Symbol('the same value');

/** A copy, which the owner of the value does not change. */
const COPY = Symbol('a copy');
/** What the client itself does not take. */
const NONE = Symbol('not sent');

/** The table of the guide: what a policy sees of each body, by client. */
test.each<
  [story: string, make: () => unknown, ...found: readonly [fetch: unknown, axios: unknown, undici: unknown]]
>([
  ['nothing', () => undefined, undefined, undefined, undefined],
  ['a text', () => text, text, text, text],
  ['an empty text', () => '', '', '', ''],
  ['a Buffer', () => Buffer.from(text), SAME, SAME, SAME],
  ['a Uint8Array', () => bytes, SAME, bytes.buffer, SAME],
  ['an ArrayBuffer', () => bytes.buffer, SAME, SAME, SAME],
  ['a Blob', () => new Blob([text]), SAME, SAME, SAME],
  ['a form', form, SAME, SAME, NONE],
  ['URLSearchParams', () => new URLSearchParams({ a: '1' }), COPY, 'a=1', NONE],
  ['an object', () => ({ query: '{ a }' }), NONE, text, NONE],
  ['a stream of the web', web, undefined, NONE, undefined],
  ['a stream of Node', node, undefined, undefined, undefined],
  ['an asynchronous iterable', generated, undefined, NONE, undefined],
  ['a function that makes one', () => () => text, undefined, undefined, undefined],
])('%s', async (_, make, ...found) => {
  for (const [index, client] of ['fetch', 'axios', 'undici'].entries()) {
    const body = make();
    const expected = found[index] === SAME ? body : found[index];
    if (expected === COPY) expect(await seen(client, body), client).toEqual(body);
    else if (expected !== NONE) expect(await seen(client, body), client).toBe(expected);
  }
});

test('of a Request nothing is seen, whatever it was made of', async () => {
  expect(await seen('fetch, a Request', text)).toBeUndefined();
});

test.each(Object.keys(clients))('%s: what is looked at is sent as it was', async (client) => {
  const server = await serve({ status: 200 });
  const looked: unknown[] = [];
  const bucket = tokenBucket({ refillPerSecond: 100 });
  const cost: PolicyOptions['cost'] = (traits) => looked.push(traits.body, traits.body) && 1;
  for (const make of [node, () => bytes, () => text]) {
    await clients[client]?.({ bucket, cost }, server.url, make());
    expect(server.seen.at(-1)?.body).toBe(text);
  }
  expect(looked.length).toBeGreaterThanOrEqual(6);
});
