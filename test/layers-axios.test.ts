import { ebbInterceptor } from '@ebb/axios';
import {
  attemptsOf,
  type ConcurrencyLimit,
  concurrencyLimit,
  constant,
  createPolicy,
  type MemoryBucket,
  type Policy,
  type PolicyOptions,
  tokenBucket,
} from '@ebb/core';
import { LAYER } from '@ebb/core/adapter';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios, { type AxiosAdapter, type AxiosInstance, type AxiosRequestConfig } from 'axios';
import { Agent } from 'undici7';
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

/** Node's own fetch over a dispatcher with ebb. */
function fetchOverUndici(policy: Policy): typeof fetch {
  const agent = new Agent();
  closing.push(() => agent.close());
  const dispatcher = agent.compose(ebbUndici(policy) as never);
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit);
}

/** Ways to lay axios over something else with ebb. */
const ways: Record<string, (outer: Policy, inner: Policy) => AxiosInstance> = {
  'env.fetch of ebb': (outer, inner) =>
    clientOf({ adapter: 'fetch', env: { fetch: createFetch(inner) } } as AxiosRequestConfig, outer),
  'env.fetch around one of ebb, with a request of its own': (outer, inner) => {
    const innerFetch = createFetch(inner);
    const glue: typeof fetch = async (input) => {
      await Promise.resolve();
      return innerFetch(new Request(input));
    };
    return clientOf({ adapter: 'fetch', env: { fetch: glue } } as AxiosRequestConfig, outer);
  },
  'the global fetch, patched': (outer, inner) => {
    const original = globalThis.fetch;
    globalThis.fetch = createFetch(inner, original) as typeof fetch;
    closing.push(() => {
      globalThis.fetch = original;
    });
    return clientOf({ adapter: 'fetch' }, outer);
  },
  'another instance as the adapter': (outer, inner) => {
    const below = clientOf({}, inner);
    return clientOf({ adapter: (config) => below.request({ ...config, adapter: 'http' }) }, outer);
  },
  'another instance as the adapter, late and with the bare minimum': (outer, inner) => {
    const below = clientOf({ adapter: 'http' }, inner);
    const adapter: AxiosAdapter = async ({ url = '', method = '' }) => {
      await Promise.resolve();
      return below.request({ url, method });
    };
    return clientOf({ adapter }, outer);
  },
  'another instance as the adapter, over a fetch of ebb': (outer, inner) => {
    const env = { fetch: createFetch(make({})) };
    const below = clientOf({}, inner);
    const adapter: AxiosAdapter = (config) => below.request({ ...config, adapter: 'fetch', env } as never);
    return clientOf({ adapter }, outer);
  },
  'a dispatcher of ebb under the fetch adapter': (outer, inner) =>
    clientOf({ adapter: 'fetch', env: { fetch: fetchOverUndici(inner) } } as AxiosRequestConfig, outer),
  'a fetch of ebb over a dispatcher of ebb': (outer, inner) =>
    clientOf(
      {
        adapter: 'fetch',
        env: { fetch: createFetch(inner, fetchOverUndici(make({}))) },
      } as AxiosRequestConfig,
      outer,
    ),
  'a second interceptor inside an adapter': (outer, inner) => {
    // The one that was added last runs first, and so lies at the bottom.
    const client = clientOf({ adapter: 'http' }, outer);
    client.interceptors.request.use((config) => {
      const below = axios.getAdapter(config.adapter);
      return Object.assign(config, { adapter: (sent: typeof config) => below({ ...sent }) });
    });
    client.interceptors.request.use(ebbInterceptor(inner));
    return client;
  },
};

/** The config of what came, also if that is an error. */
async function configOf(request: Promise<{ config: object }>): Promise<AxiosRequestConfig> {
  return (await request.catch((error: { config: object }) => error)).config;
}

describe.each(Object.entries(ways))('axios over %s', (_, lay) => {
  test('an always failing server sees one and the retries of the outermost', async () => {
    const server = await serve(DOWN);
    const client = lay(make({ maxRetries: 2 }), make({ maxRetries: 4 }));
    const error = await client.get(server.url).catch((error: unknown) => error);
    expect(server.seen).toHaveLength(3);
    expect(attemptsOf(error).map(({ status }) => status)).toEqual([503, 503, 503]);
    // Nothing that is left in the config makes the next request one of an inner layer.
    await client.request((error as { config: object }).config).catch(() => undefined);
    expect(server.seen).toHaveLength(6);
  });

  test('one policy takes tokens once for each send, and one slot, and waits for nothing of its own', async () => {
    const server = await serve(DOWN);
    const bucket = tokenBucket({ refillPerSecond: 1e-6, capacity: 10 }) as MemoryBucket;
    const concurrency: ConcurrencyLimit = concurrencyLimit({ maxConcurrent: 1 });
    const policy = make({ maxRetries: 2, bucket, concurrency });
    await configOf(lay(policy, policy).get(server.url));
    expect([server.seen.length, bucket.stats().granted, concurrency.stats().inUse]).toEqual([3, 3, 0]);
  });

  test('another policy below takes its own tokens for each send', async () => {
    const server = await serve(DOWN);
    const bucket = tokenBucket({ refillPerSecond: 1e-6, capacity: 10 }) as MemoryBucket;
    await configOf(lay(make({ maxRetries: 2 }), make({ bucket })).get(server.url));
    expect([server.seen.length, bucket.stats().granted]).toEqual([3, 3]);
  });

  test('what is given for a request stays with the layer that it was given to', async () => {
    const server = await serve(DOWN);
    const innerEvents: string[] = [];
    const inner = make({ maxRetries: 4, onEvent: ({ type }) => innerEvents.push(type) });
    const ebb = { maxRetries: 1 };
    const config = await configOf(lay(make({}), inner).get(server.url, { ebb }));
    expect(server.seen).toHaveLength(2);
    expect(innerEvents.filter((type) => type === 'attempt')).toHaveLength(2);
    // What comes of an inner instance has the config of that.
    if (config.ebb !== undefined) expect(config.ebb).toEqual(ebb);
  });

  test('nothing of it goes over the wire, or is left in what comes back', async () => {
    const server = await serve(DOWN);
    const client = lay(make({ maxRetries: 1 }), make({}));
    const config = await configOf(client.get(server.url));
    expect(JSON.stringify(server.seen)).not.toMatch(/ebb|layer/i);
    expect(LAYER in config).toBe(false);
    expect(LAYER in ((config as { fetchOptions?: object }).fetchOptions ?? {})).toBe(false);
  });
});

test('a request that an adapter makes beside its own retries for itself', async () => {
  const server = await serve(DOWN, DOWN, { status: 200 }, DOWN, DOWN, { status: 200 }, { status: 200 });
  const below = clientOf({ adapter: 'http' }, make({ maxRetries: 4 }));
  const adapter: AxiosAdapter = async (config) => {
    await below.get(`${server.url}token`);
    return below.request({ ...config, adapter: 'http' });
  };
  await clientOf({ adapter }, make({ maxRetries: 4 })).get(server.url);
  expect(server.seen.map(({ path }) => path)).toEqual(
    ['token', 'token', 'token', '', 'token', 'token', ''].map((path) => `/${path}`),
  );
});

test('one interceptor on an instance and on the one below it does not multiply', async () => {
  const server = await serve(DOWN);
  const both = ebbInterceptor(make({ maxRetries: 2 }));
  const below = axios.create();
  below.interceptors.request.use(both);
  const client = axios.create({ adapter: (config) => below.request({ ...config, adapter: 'http' }) });
  client.interceptors.request.use(both);
  await client.get(server.url, { validateStatus: null });
  expect(server.seen).toHaveLength(3);
});

test('`ebb: false` is for the outer layer: the inner one does as it would alone', async () => {
  const server = await serve(DOWN);
  const below = clientOf({}, make({ maxRetries: 1 }));
  const client = clientOf({ adapter: (config) => below.request({ ...config, adapter: 'http' }) }, make({}));
  const { config } = await client.get(server.url, { ebb: false, validateStatus: null });
  expect(server.seen).toHaveLength(2);
  expect(LAYER in config).toBe(false);
  // The caller's own config can be sent again, and says what it said.
  let sent: AxiosRequestConfig | undefined;
  const adapter: AxiosAdapter = async (config) => {
    sent = { ...config };
    return { status: 200, statusText: '', data: '', headers: {}, config };
  };
  const response = await clientOf({ adapter }, make({})).get(server.url, { ebb: false });
  expect([sent?.ebb, response.config.ebb, response.config.adapter]).toEqual([undefined, false, adapter]);
});

test('what marks a request is gone from the caller’s own options', async () => {
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
