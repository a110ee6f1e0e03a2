import { Readable } from 'node:stream';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { constant, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';
import { describe, expect, test } from 'vitest';
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

const bytes = new TextEncoder().encode('text');
const params = new URLSearchParams({ a: '1' });
const web = () => new Blob(['text']).stream();
const node = () => Readable.from([bytes]);
async function* generated() {
  yield bytes;
}

describe.each(['fetch', 'axios', 'undici'])('%s: the body of a request', (client) => {
  test.each<[story: string, body: unknown]>([
    ['a text', '{"query":"{ a }"}'],
    ['bytes', bytes],
  ])('that is %s is seen as it was given', async (_, body) => {
    const found = await seen(client, body);
    expect(found instanceof ArrayBuffer ? new Uint8Array(found) : found).toEqual(body);
  });

  test.each<[story: string, make: () => unknown]>([
    ['nothing', () => undefined],
    ['a stream of Node', node],
    ['a function that makes one', () => () => 'text'],
  ])('that is %s is not seen', async (_, make) => {
    expect(await seen(client, make())).toBeUndefined();
  });
});

test.each<[client: string, body: () => unknown, found: unknown]>([
  ['fetch', () => params, params],
  ['fetch', web, undefined],
  ['fetch', generated, undefined],
  ['fetch, a Request', () => 'text', undefined],
  ['undici', generated, undefined],
  ['axios', () => ({ query: '{ a }' }), '{"query":"{ a }"}'],
  ['axios', () => params, 'a=1'],
])('%s, what its body shows', async (client, body, found) => {
  expect(await seen(client, body())).toEqual(found);
});
