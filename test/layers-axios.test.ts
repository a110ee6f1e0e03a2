import { ebbInterceptor } from '@ebb/axios';
import { attemptsOf, constant, createPolicy, type Policy, type PolicyOptions } from '@ebb/core';
import { LAYER } from '@ebb/core/adapter';
import { createFetch } from '@ebb/fetch';
import axios, { type AxiosAdapter, type AxiosInstance, type AxiosRequestConfig } from 'axios';
import { afterEach, describe, expect, test } from 'vitest';
import { serve } from './serve.ts';
import type { Step } from './server.ts';

const DOWN: Step = { status: 503, body: 'down' };

const make = (options: PolicyOptions): Policy => createPolicy({ backoff: constant(0), ...options });

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

function clientOf(config: AxiosRequestConfig, ...policies: Policy[]): AxiosInstance {
  const client = axios.create(config as object);
  for (const policy of policies) client.interceptors.request.use(ebbInterceptor(policy));
  return client;
}

/** Ways to put axios above another client with ebb. */
const ways: Record<string, (outer: Policy, inner: Policy) => AxiosInstance> = {
  'an env.fetch that calls an ebb fetch with its own Request': (outer, inner) => {
    const innerFetch = createFetch(inner);
    const glue: typeof fetch = async (input) => {
      await Promise.resolve();
      return innerFetch(new Request(input));
    };
    return clientOf({ adapter: 'fetch', env: { fetch: glue } } as AxiosRequestConfig, outer);
  },
  'a patched global fetch': (outer, inner) => {
    const original = globalThis.fetch;
    globalThis.fetch = createFetch(inner, original) as typeof fetch;
    closing.push(() => {
      globalThis.fetch = original;
    });
    return clientOf({ adapter: 'fetch' }, outer);
  },
  'another instance as the adapter, later and with method and URL alone': (outer, inner) => {
    const below = clientOf({ adapter: 'http' }, inner);
    const adapter: AxiosAdapter = async ({ url = '', method = '' }) => {
      await Promise.resolve();
      return below.request({ url, method });
    };
    return clientOf({ adapter }, outer);
  },
  'a second interceptor inside an adapter': (outer, inner) => {
    // The interceptor that was added last runs first, so it is the innermost layer.
    const client = clientOf({ adapter: 'http' }, outer);
    client.interceptors.request.use((config) => {
      const below = axios.getAdapter(config.adapter);
      return Object.assign(config, { adapter: (sent: typeof config) => below({ ...sent }) });
    });
    client.interceptors.request.use(ebbInterceptor(inner));
    return client;
  },
};

/** The config of the response or error. */
async function configOf(request: Promise<{ config: object }>): Promise<AxiosRequestConfig> {
  return (await request.catch((error: { config: object }) => error)).config;
}

describe.each(Object.entries(ways))('axios over %s', (_, lay) => {
  test('only the outermost layer retries', async () => {
    const server = await serve(DOWN);
    const client = lay(make({ maxRetries: 2 }), make({ maxRetries: 4 }));
    const error = await client.get(server.url).catch((error: unknown) => error);
    expect(server.seen).toHaveLength(3);
    expect(attemptsOf(error).map(({ status }) => status)).toEqual([503, 503, 503]);
    // The config carries no mark that would make the next request an inner one.
    await client.request((error as { config: object }).config).catch(() => undefined);
    expect(server.seen).toHaveLength(6);
  });

  test('neither the request on the wire nor the config of the response shows a trace of the layers', async () => {
    const server = await serve(DOWN);
    const client = lay(make({ maxRetries: 1 }), make({}));
    const config = await configOf(client.get(server.url));
    expect(JSON.stringify(server.seen)).not.toMatch(/ebb|layer/i);
    expect(LAYER in config).toBe(false);
    expect(LAYER in ((config as { fetchOptions?: object }).fetchOptions ?? {})).toBe(false);
  });
});

test.each<[below: string, below: (policy: Policy) => AxiosAdapter]>([
  [
    'another instance',
    (policy) => {
      const instance = clientOf({ adapter: 'http' }, policy);
      return (config) => instance.request({ ...config, adapter: 'http' });
    },
  ],
  [
    'an ebb fetch',
    (policy) => axios.getAdapter('fetch', { env: { fetch: createFetch(policy) } } as never) as AxiosAdapter,
  ],
])('a layer of %s through which only later calls go does not multiply attempts', async (_, lay) => {
  const three = make({ maxRetries: 2 });
  const below = lay(three);
  let isBelow = false;
  const adapter: AxiosAdapter = (config) => (isBelow ? below : axios.getAdapter('http'))(config);
  const client = clientOf({ adapter }, three);
  const up = await serve({ status: 200 });
  await client.get(up.url);
  isBelow = true;
  for (let call = 0; call < 2; call += 1) {
    const server = await serve(DOWN);
    const error = await client.get(server.url).catch((error: unknown) => error);
    expect([server.seen.length, attemptsOf(error).length]).toEqual([3, 3]);
  }
});

test('`ebb: false` applies to the outer layer alone: the inner one retries', async () => {
  const server = await serve(DOWN);
  const below = clientOf({}, make({ maxRetries: 1 }));
  const client = clientOf({ adapter: (config) => below.request({ ...config, adapter: 'http' }) }, make({}));
  const { config } = await client.get(server.url, { ebb: false, validateStatus: null });
  expect(server.seen).toHaveLength(2);
  expect(LAYER in config).toBe(false);
  // The config is restored, so it can be sent again.
  let sent: AxiosRequestConfig | undefined;
  const adapter: AxiosAdapter = async (config) => {
    sent = { ...config };
    return { status: 200, statusText: '', data: '', headers: {}, config };
  };
  const response = await clientOf({ adapter }, make({})).get(server.url, { ebb: false });
  expect([sent?.ebb, response.config.ebb, response.config.adapter]).toEqual([undefined, false, adapter]);
});

test('the caller’s own fetchOptions are left unmarked', async () => {
  const server = await serve(DOWN);
  const fetchOptions = { keepalive: false };
  const fetch = createFetch(make({}));
  const client = clientOf(
    { adapter: 'fetch', env: { fetch } } as AxiosRequestConfig,
    make({ maxRetries: 1 }),
  );
  const config = { fetchOptions, validateStatus: null } as AxiosRequestConfig;
  const response = await client.get(server.url, config);
  expect(fetchOptions).toEqual({ keepalive: false });
  expect((response.config as { fetchOptions?: object }).fetchOptions).toEqual({ keepalive: false });
});
