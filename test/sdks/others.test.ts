import 'reflect-metadata';
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport as createNodeTransport } from '@connectrpc/connect-node';
import { createConnectTransport } from '@connectrpc/connect-web';
import { ebbInterceptor } from '@ebb/axios';
import { type PolicyOptions, retry } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { HttpService } from '@nestjs/axios';
import { CancelledError, QueryClient } from '@tanstack/query-core';
import { createFetch as createOfetch } from 'ofetch';
import { expect, test } from 'vitest';
import { serve } from '../serve.ts';
import { turns, until } from '../until.ts';
import { GreetService } from './gen/greet_pb.ts';

/** A policy that waits for a minute of virtual time after a 503, and tells when it does. */
function waiting() {
  const clock = virtualClock({ startMs: 0 });
  const { promise: hasBegun, resolve } = Promise.withResolvers<void>();
  const onEvent = ({ type }: { type: string }): void => void (type === 'retry' && setImmediate(resolve));
  const options: PolicyOptions = { clock, onEvent, backoff: () => 60_000 };
  return { clock, hasBegun, options };
}

const DOWN = { status: 503, body: 'down' };

test('NestJS: unsubscribing ends a wait', async () => {
  const server = await serve(DOWN);
  const { clock, hasBegun, options } = waiting();
  const httpService = new HttpService();
  httpService.axiosRef.interceptors.request.use(ebbInterceptor(options));
  const subscription = httpService.get(server.url).subscribe({ error: () => undefined });
  await hasBegun;
  subscription.unsubscribe();
  await turns(3);
  expect(clock.pending).toBe(0);
  await clock.advance(120_000);
  expect(server.seen).toHaveLength(1);
});

test('ofetch: an abort of the caller and its own timeout end a wait', async () => {
  for (const make of [
    () => ({ timeout: 100 }),
    (hasBegun: Promise<void>) => {
      const controller = new AbortController();
      void hasBegun.then(() => controller.abort());
      return { signal: controller.signal };
    },
  ]) {
    const server = await serve(DOWN);
    const { clock, hasBegun, options } = waiting();
    const fetch = createFetch(options) as typeof globalThis.fetch;
    const $fetch = createOfetch({ fetch, defaults: { retry: false } });
    await expect($fetch(server.url, make(hasBegun))).rejects.toThrow(/abort|timeout/i);
    await turns(3);
    expect(clock.pending).toBe(0);
    expect(server.seen).toHaveLength(1);
  }
});

test.each([
  ['a fetch', false],
  ['an interceptor', true],
])('Connect, with %s: an abort and a deadline end a wait', async (_, isInterceptor) => {
  for (const [make, code] of [
    [() => ({ timeoutMs: 200 }), Code.DeadlineExceeded],
    [
      (hasBegun: Promise<void>) => {
        const controller = new AbortController();
        void hasBegun.then(() => controller.abort());
        return { signal: controller.signal };
      },
      Code.Canceled,
    ],
  ] as const) {
    const server = await serve(DOWN);
    const { clock, hasBegun, options } = waiting();
    const ebb: Interceptor = (next) => (request) =>
      retry(() => next(request), options, { signal: request.signal });
    const baseUrl = server.url;
    const transport = isInterceptor
      ? createNodeTransport({ baseUrl, httpVersion: '1.1', interceptors: [ebb] })
      : createConnectTransport({ baseUrl, useHttpGet: true, fetch: createFetch(options) });
    const call = createClient(GreetService, transport).greet({}, make(hasBegun));
    const error = await call.catch((thrown: unknown) => thrown);
    expect(ConnectError.from(error).code).toBe(code);
    await turns(3);
    expect(clock.pending).toBe(0);
    expect(server.seen).toHaveLength(1);
  }
});

test('TanStack Query: cancelling a query ends a wait', async () => {
  const server = await serve(DOWN);
  const { clock, hasBegun, options } = waiting();
  const fetch = createFetch(options);
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const query = queryClient
    .fetchQuery({ queryKey: ['a'], queryFn: ({ signal }) => fetch(server.url, { signal }) })
    .catch((error: unknown) => error);
  await hasBegun;
  await queryClient.cancelQueries({ queryKey: ['a'] });
  expect(await query).toBeInstanceOf(CancelledError);
  await turns(3);
  expect(clock.pending).toBe(0);
});

test('MCP: a timeout of a request leaves the fetch going on, and closing the transport ends it', async () => {
  const info = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } };
  const json = { 'content-type': 'application/json' };
  const ready = { status: 200, headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: info }) };
  const refused = { status: 429, body: '' };
  // Initialization, its notification, the GET of the event stream, and then the request.
  const server = await serve(ready, { status: 202 }, { status: 405 }, refused);
  const { clock, hasBegun, options } = waiting();
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), { fetch: createFetch(options) }),
  );
  await until(() => server.seen.length === 3);
  const ping = client.ping({ timeout: 100 }).catch((error: Error) => error.message);
  await hasBegun;
  expect(await ping).toMatch(/timed out/);
  await turns(3);
  expect(clock.pending).toBeGreaterThan(0);
  await client.close();
  await turns(3);
  expect(clock.pending).toBe(0);
});
