import 'reflect-metadata';
import { request as nodeRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallOptions, Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport as createNodeTransport } from '@connectrpc/connect-node';
import { createConnectTransport } from '@connectrpc/connect-web';
import { ebbInterceptor } from '@ebb/axios';
import { type PolicyOptions, retry } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { HttpService } from '@nestjs/axios';
import { QueryClient } from '@tanstack/query-core';
import Fastify from 'fastify';
import { Gaxios } from 'gaxios';
import { createFetch as createOfetch } from 'ofetch';
import { expect, test } from 'vitest';
import { serve } from '../serve.ts';
import { turns, until } from '../until.ts';
import { GreetService } from './gen/greet_pb.ts';

/** A policy that waits for a minute of virtual time after a refusal, and a signal that aborts when it does. */
function waiting() {
  const clock = virtualClock({ startMs: 0 });
  const controller = new AbortController();
  const onEvent = ({ type }: { type: string }): void =>
    void (type === 'retry' && setImmediate(() => controller.abort()));
  const options: PolicyOptions = { clock, onEvent, backoff: () => 60_000 };
  return { clock, signal: controller.signal, options };
}

/** A call of a library over ebb, which its caller ends when the signal aborts, or the library by a timeout of its own. */
type Call = (url: string, options: PolicyOptions, signal: AbortSignal) => Promise<unknown>;

const nest: Call = (url, options, signal) => {
  const httpService = new HttpService();
  httpService.axiosRef.interceptors.request.use(ebbInterceptor(options));
  return new Promise((_, reject) => {
    const subscription = httpService.get(url).subscribe({ error: reject });
    signal.onabort = () => {
      subscription.unsubscribe();
      reject('unsubscribed');
    };
  });
};

const ofetch =
  (own: (signal: AbortSignal) => object): Call =>
  (url, options, signal) => {
    const fetch = createFetch(options) as typeof globalThis.fetch;
    return createOfetch({ fetch, defaults: { retry: false } })(url, own(signal));
  };

const connect =
  (isInterceptor: boolean, own: (signal: AbortSignal) => CallOptions): Call =>
  async (baseUrl, options, signal) => {
    const ebb: Interceptor = (next) => (request) =>
      retry(() => next(request), options, { signal: request.signal });
    const transport = isInterceptor
      ? createNodeTransport({ baseUrl, httpVersion: '1.1', interceptors: [ebb] })
      : createConnectTransport({ baseUrl, useHttpGet: true, fetch: createFetch(options) });
    const call = createClient(GreetService, transport).greet({}, own(signal));
    throw Code[
      await call.then(
        (): never => expect.fail(),
        (error: unknown) => ConnectError.from(error).code,
      )
    ];
  };

const tanStack: Call = (url, options, signal) => {
  const fetch = createFetch(options);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  signal.onabort = () => void client.cancelQueries({ queryKey: ['a'] });
  return client.fetchQuery({ queryKey: ['a'], queryFn: (query) => fetch(url, { signal: query.signal }) });
};

const gaxios: Call = (url, options) =>
  new Gaxios({ fetchImplementation: createFetch(options), timeout: 200 }).request({ url });

/** A visitor who leaves. */
const fastify: Call = async (url, options, signal) => {
  const upstream = createFetch(options);
  const { promise: end, resolve } = Promise.withResolvers<unknown>();
  const app = Fastify().get('/', (visit) => {
    const answer = upstream(url, { signal: visit.signal });
    answer.catch(resolve);
    return answer;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  nodeRequest({ host: '127.0.0.1', port, signal })
    .on('error', () => undefined)
    .end();
  const error = await end;
  await app.close();
  throw error;
};

test.each<[name: string, call: Call, end: RegExp]>([
  ['NestJS, by unsubscribing', nest, /unsubscribed/],
  ['ofetch, by its caller', ofetch((signal) => ({ signal })), /abort/i],
  ['ofetch, by its timeout', ofetch(() => ({ timeout: 200 })), /timeout/i],
  ['Connect over a fetch, by its caller', connect(false, (signal) => ({ signal })), /^Canceled$/],
  ['Connect over a fetch, by its deadline', connect(false, () => ({ timeoutMs: 200 })), /^DeadlineExceeded$/],
  ['Connect with an interceptor, by its caller', connect(true, (signal) => ({ signal })), /^Canceled$/],
  [
    'Connect with an interceptor, by its deadline',
    connect(true, () => ({ timeoutMs: 200 })),
    /^DeadlineExceeded$/,
  ],
  ['TanStack Query, by cancelling its query', tanStack, /CancelledError/],
  ['gaxios, by its timeout', gaxios, /timeout/],
  ['Fastify, by a visitor who leaves', fastify, /abort/i],
])('a wait is ended: %s', async (_, call, end) => {
  const server = await serve({ status: 503, body: 'down' });
  const { clock, signal, options } = waiting();
  expect(String(await call(server.url, options, signal).catch((error: unknown) => error))).toMatch(end);
  await turns(3);
  expect(clock.pending).toBe(0);
  await clock.advance(120_000);
  expect(server.seen).toHaveLength(1);
});

test('MCP: a timeout of a request leaves the fetch going on, and closing the transport ends it', async () => {
  const info = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } };
  const json = { 'content-type': 'application/json' };
  const ready = { status: 200, headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: info }) };
  // Initialization, its notification, the GET of the event stream, and then the request.
  const server = await serve(ready, { status: 202 }, { status: 405 }, { status: 429, body: '' });
  const { clock, signal, options } = waiting();
  const client = new Client({ name: 'c', version: '1' });
  const fetch = createFetch(options);
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { fetch }));
  await until(() => server.seen.length === 3);
  const ping = client.ping({ timeout: 100 }).catch((error: Error) => error.message);
  await until(() => signal.aborted);
  expect(await ping).toMatch(/timed out/);
  await turns(3);
  expect(clock.pending).toBeGreaterThan(0);
  await client.close();
  await turns(3);
  expect(clock.pending).toBe(0);
});
