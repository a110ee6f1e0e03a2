import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import {
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  type Policy,
  type PolicyOptions,
  tokenBucket,
} from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios, { type AxiosAdapter, AxiosError, AxiosHeaders } from 'axios';
import { Agent, Dispatcher, request, fetch as undiciFetch } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Upstream, upstream } from './server.ts';

type Fetch = typeof fetch;
type Send = (url: string) => Promise<unknown>;

/** A fetch that sends through axios and builds its own response. */
function fetchOfAxios(policy: Policy): Fetch {
  const client = axios.create({ responseType: 'text', validateStatus: () => true });
  client.interceptors.request.use(ebbAxios(policy));
  return async (input, init) => {
    const { url, method } = new Request(input, init);
    const { status, data } = await client.request<string>({ url, method });
    return new Response(data, { status });
  };
}

/** A dispatcher that sends through a fetch. */
class FetchDispatcher extends Dispatcher {
  readonly #fetch: Fetch;

  constructor(base: Fetch) {
    super();
    this.#fetch = base;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = {
      aborted: false,
      paused: false,
      reason: null,
      rawHeaders: [],
      rawTrailers: [],
      pause: () => undefined,
      resume: () => undefined,
      abort: () => undefined,
    };
    handler.onRequestStart?.(controller, {});
    this.#fetch(`${options.origin}${options.path}`, { method: options.method }).then(
      async (response) => {
        const body = Buffer.from(await response.arrayBuffer());
        handler.onResponseStart?.(controller, response.status, Object.fromEntries(response.headers));
        handler.onResponseData?.(controller, body);
        handler.onResponseEnd?.(controller, {});
      },
      (error) => handler.onResponseError?.(controller, error),
    );
    return true;
  }

  override async close(): Promise<void> {}
  override async destroy(): Promise<void> {}
}

function axiosOver(policy: Policy, adapter: AxiosAdapter | Fetch, isFetch: boolean): Send {
  const client = axios.create(
    isFetch ? { adapter: 'fetch', env: { fetch: adapter as Fetch } } : { adapter: adapter as AxiosAdapter },
  );
  client.interceptors.request.use(ebbAxios(policy));
  return (url) => client.get(url).catch((error) => error);
}

/** An adapter that sends through another instance. */
function adapterOfAxios(policy: Policy): AxiosAdapter {
  const inner = axios.create({ responseType: 'text', validateStatus: () => true });
  inner.interceptors.request.use(ebbAxios(policy));
  return async (config) => {
    const { status, data } = await inner.request<string>({
      url: config.url as string,
      method: config.method as string,
    });
    const response = { status, data, statusText: '', headers: new AxiosHeaders(), config };
    if (config.validateStatus?.(status) === false) {
      throw new AxiosError('failed', AxiosError.ERR_BAD_RESPONSE, config, undefined, response);
    }
    return response;
  };
}

const agents: Dispatcher[] = [];
function composed(policy: Policy, base?: Dispatcher): Dispatcher {
  const agent = base ?? new Agent();
  agents.push(agent);
  return agent.compose(ebbUndici(policy));
}

function fetchOfUndici(policy: Policy): Fetch {
  const dispatcher = composed(policy);
  // axios passes a `Request` of Node, which the fetch of the undici package does not recognize.
  return ((input: string | Request, init: RequestInit) => {
    const { url, method } = typeof input === 'string' ? { url: input, method: init?.method ?? 'GET' } : input;
    return undiciFetch(url, { ...init, method, dispatcher } as never);
  }) as never;
}

const requestOver =
  (dispatcher: Dispatcher): Send =>
  async (url) => {
    const { body } = await request(url, { dispatcher });
    return body.text();
  };

/** All nine pairs of an outer client and the one below it. */
const pairs: Record<string, (outer: Policy, inner: Policy) => Send> = {
  'fetch over fetch': (outer, inner) => createFetch(outer, createFetch(inner)),
  'fetch over axios': (outer, inner) => createFetch(outer, fetchOfAxios(inner)),
  'fetch over undici': (outer, inner) => createFetch(outer, fetchOfUndici(inner)),
  'axios over fetch': (outer, inner) => axiosOver(outer, createFetch(inner), true),
  'axios over axios': (outer, inner) => axiosOver(outer, adapterOfAxios(inner), false),
  'axios over undici': (outer, inner) => axiosOver(outer, fetchOfUndici(inner), true),
  'undici over fetch': (outer, inner) =>
    requestOver(composed(outer, new FetchDispatcher(createFetch(inner)))),
  'undici over axios': (outer, inner) =>
    requestOver(composed(outer, new FetchDispatcher(fetchOfAxios(inner)))),
  'undici over undici': (outer, inner) => requestOver(composed(inner).compose(ebbUndici(outer))),
};

describe.each(Object.entries(pairs))('%s', (_, pair) => {
  let server: Upstream;
  const events: EbbEvent[] = [];
  const make = (options: PolicyOptions) => createPolicy({ backoff: constant(0), ...options });

  beforeEach(async () => {
    server = await upstream([{ status: 503, body: 'down' }]);
    events.length = 0;
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
    await server.close();
  });

  test('with two policies the outer one retries', async () => {
    const inner = make({ maxRetries: 4, onEvent: (event) => void events.push(event) });
    await pair(make({ maxRetries: 2 }), inner)(server.url);
    expect(server.seen).toHaveLength(3);
    const ends = events.flatMap((event) => (event.type === 'end' ? [event.reason] : []));
    expect(ends).toEqual(Array(3).fill('outer-client-retries'));
  });

  test('one shared policy takes tokens once for each attempt and one slot, and does not deadlock', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const bucket = tokenBucket({ refillPerSecond: 1e-6, capacity: 10 });
    const policy = make({ maxRetries: 2, concurrency, bucket });
    await pair(policy, policy)(server.url);
    expect(server.seen).toHaveLength(3);
    expect(bucket.stats().granted).toBe(3);
    await expect.poll(() => concurrency.stats().inUse).toBe(0);
  });

  test('a different policy below takes its own tokens for each attempt', async () => {
    const bucket = tokenBucket({ refillPerSecond: 1e-6, capacity: 10 });
    await pair(make({ maxRetries: 2 }), make({ bucket }))(server.url);
    expect(bucket.stats().granted).toBe(3);
  });

  test('the request on the wire shows no trace of the layers', async () => {
    await pair(make({ maxRetries: 1 }), make({}))(server.url);
    const [layered] = server.seen;
    expect(JSON.stringify(layered?.headers)).not.toMatch(/ebb|layer/i);
    expect(layered?.path).toBe('/');
  });
});
