import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import {
  type ConcurrencyLimit,
  concurrencyLimit,
  constant,
  createPolicy,
  type Policy,
  tokenBucket,
} from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/undici';
import { ebbInterceptor } from '@ebb/undici';
import axios from 'axios';
import * as undici8 from 'undici';
import * as undici7 from 'undici7';
import { afterEach, describe, expect, test } from 'vitest';
import { refusingUrl } from './refusing.ts';

type Dispatcher = undici8.Dispatcher;
type Interceptor = undici8.Dispatcher.DispatcherComposeInterceptor;

const versions: readonly (readonly [string, typeof undici8])[] = [
  ['undici 8', undici8],
  ['undici 7', undici7 as unknown as typeof undici8],
];

interface Seen {
  readonly path: string;
  readonly names: readonly string[];
}

interface Away extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[];
}

/** A server that responds to every request with a 503, except that `/moved` redirects to `/away`. */
async function away(): Promise<Away> {
  const seen: Seen[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const { url: path = '', rawHeaders } = request;
    seen.push({
      path,
      names: rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()),
    });
    if (path === '/moved') response.writeHead(302, { location: '/away' }).end();
    else response.writeHead(503).end('away');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Shared {
  readonly policy: Policy;
  readonly granted: () => number;
  readonly limit: ConcurrencyLimit;
}

/** A policy with a bucket and one slot: a second layer that also took the slot would deadlock. */
function shared(maxRetries = 2): Shared {
  const bucket = tokenBucket({ refillPerSecond: 1_000, capacity: 1_000 });
  const limit = concurrencyLimit({ maxConcurrent: 1 });
  const policy = createPolicy({ maxRetries, backoff: constant(0), bucket, concurrency: limit });
  return { policy, granted: () => bucket.stats().granted, limit };
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A new agent with interceptors, closed after the test. */
function composed(undici: typeof undici8, ...interceptors: readonly Interceptor[]): Dispatcher {
  const agent = new undici.Agent();
  cleanups.push(() => agent.destroy());
  return agent.compose(...interceptors);
}

type Send = (url: string) => Promise<{ readonly status: number; text(): Promise<string> }>;

function requester(undici: typeof undici8, dispatcher: Dispatcher, options: object = {}): Send {
  return async (url) => {
    const { statusCode, body } = await undici.request(url, { ...options, dispatcher });
    return { status: statusCode, text: () => body.text() };
  };
}

/** A dispatcher that sends through another client. It calls only the current handler methods. */
function dispatcherOf(
  undici: typeof undici8,
  send: (url: string, method: string) => Promise<{ status: number; body: string }>,
): Dispatcher {
  class Delegating extends undici.Dispatcher {
    override dispatch(
      options: undici8.Dispatcher.DispatchOptions,
      handler: undici8.Dispatcher.DispatchHandler,
    ): boolean {
      const controller = { aborted: false, paused: false, reason: null, pause() {}, resume() {}, abort() {} };
      handler.onRequestStart?.(controller as never, {});
      send(`${options.origin}${options.path}`, String(options.method)).then(
        ({ status, body }) => {
          handler.onResponseStart?.(controller as never, status, {}, '');
          handler.onResponseData?.(controller as never, Buffer.from(body));
          handler.onResponseEnd?.(controller as never, {});
        },
        (error) => handler.onResponseError?.(controller as never, error),
      );
      return true;
    }
  }
  return new Delegating();
}

interface Pair {
  readonly name: string;
  /** Returns a function that sends a request through both layers. */
  make(undici: typeof undici8, upper: Policy, lower: Policy): Send;
}

/** The redirect interceptor of the same version of undici. */
function redirect(undici: typeof undici8): Interceptor {
  return undici.interceptors.redirect({ maxRedirections: 3 });
}

const pairs: readonly Pair[] = [
  {
    name: 'fetch over undici, by its dispatcher',
    make(undici, upper, lower) {
      const dispatcher = composed(undici, ebbInterceptor(lower));
      const fetch = createFetch(upper, undici.fetch as never);
      return (url) => fetch(url, { dispatcher } as never);
    },
  },
  {
    name: 'fetch over undici, as the global dispatcher',
    make(undici, upper, lower) {
      const before = undici.getGlobalDispatcher();
      undici.setGlobalDispatcher(composed(undici, ebbInterceptor(lower)));
      cleanups.push(() => undici.setGlobalDispatcher(before));
      const fetch = createFetch(upper, undici.fetch as never);
      return (url) => fetch(url);
    },
  },
  {
    name: "Node's fetch over undici, by its dispatcher",
    make(undici, upper, lower) {
      const dispatcher = composed(undici, ebbInterceptor(lower));
      const fetch = createFetch(upper);
      return (url) => fetch(url, { dispatcher } as never);
    },
  },
  {
    name: "axios's fetch adapter over undici",
    make(undici, upper, lower) {
      const dispatcher = composed(undici, ebbInterceptor(lower));
      const base = (input: string | Request, init?: RequestInit): Promise<Response> =>
        undici.fetch(typeof input === 'string' ? input : input.url, {
          ...init,
          dispatcher,
        } as never) as never;
      const client = axios.create({ adapter: 'fetch', env: { fetch: base as never }, validateStatus: null });
      client.interceptors.request.use(ebbAxios(upper));
      return async (url) => {
        const { status, data } = await client.get(url, { responseType: 'text' });
        return { status, text: async () => data };
      };
    },
  },
  {
    name: 'undici over undici',
    make: (undici, upper, lower) =>
      requester(undici, composed(undici, ebbInterceptor(lower), ebbInterceptor(upper))),
  },
  {
    name: 'undici over undici, composed twice',
    make: (undici, upper, lower) =>
      requester(undici, composed(undici, ebbInterceptor(lower)).compose(ebbInterceptor(upper))),
  },
  {
    name: 'undici over undici, with a redirect interceptor between',
    make: (undici, upper, lower) =>
      requester(undici, composed(undici, ebbInterceptor(lower), redirect(undici), ebbInterceptor(upper))),
  },
  {
    name: 'undici over undici, with a redirect interceptor above',
    make: (undici, upper, lower) =>
      requester(undici, composed(undici, ebbInterceptor(lower), ebbInterceptor(upper), redirect(undici))),
  },
  {
    name: 'undici over undici, with a dns interceptor between',
    make: (undici, upper, lower) =>
      requester(
        undici,
        composed(undici, ebbInterceptor(lower), undici.interceptors.dns(), ebbInterceptor(upper)),
      ),
  },
  {
    name: 'undici over a dispatcher made of fetch',
    make(undici, upper, lower) {
      const fetch = createFetch(lower);
      const below = dispatcherOf(undici, async (url, method) => {
        const response = await fetch(url, { method });
        return { status: response.status, body: await response.text() };
      });
      return requester(undici, below.compose(ebbInterceptor(upper)));
    },
  },
  {
    name: 'undici over a dispatcher made of axios',
    make(undici, upper, lower) {
      const client = axios.create({ validateStatus: null, responseType: 'text' });
      client.interceptors.request.use(ebbAxios(lower));
      const below = dispatcherOf(undici, async (url, method) => {
        const { status, data } = await client.request({ url, method });
        return { status, body: data };
      });
      return requester(undici, below.compose(ebbInterceptor(upper)));
    },
  },
];

/** The header names that the clients send without ebb. */
const PLAIN_NAMES = new Set([
  'host',
  'connection',
  'accept',
  'accept-language',
  'accept-encoding',
  'sec-fetch-mode',
  'user-agent',
]);

describe.each(versions)('%s', (_, undici) => {
  describe.each(pairs)('$name', ({ make }) => {
    test('the outermost layer retries and holds the slot; a shared bucket grants one token for each attempt', async () => {
      await using server = await away();
      const { policy, granted, limit } = shared();
      const send = make(undici, policy, policy);
      const got = await send(`${server.url}/away`);
      expect([got.status, await got.text()]).toEqual([503, 'away']);
      await nextTurn();
      expect(server.seen).toHaveLength(3);
      expect(granted()).toBe(3);
      expect(limit.stats()).toMatchObject({ inUse: 0, waiting: 0 });
      expect(server.seen.flatMap(({ names }) => names).filter((name) => !PLAIN_NAMES.has(name))).toEqual([]);
    });

    test('two buckets each grant one token for each attempt, whatever maxRetries of the lower layer is', async () => {
      await using server = await away();
      const [upper, lower] = [shared(1), shared(7)];
      const send = make(undici, upper.policy, lower.policy);
      const got = await send(`${server.url}/away`);
      await got.text();
      expect([server.seen.length, upper.granted(), lower.granted()]).toEqual([2, 2, 2]);
      expect(lower.limit.stats().inUse).toBe(0);
    });

    test('20 concurrent requests in one pool', async () => {
      await using server = await away();
      const { policy } = shared();
      const free = createPolicy({ maxRetries: policy.maxRetries, backoff: constant(0) });
      const send = make(undici, free, free);
      await Promise.all(
        Array.from({ length: 20 }, async (_one, index) => {
          const got = await send(`${server.url}/away?${index % 4}`);
          await got.text();
        }),
      );
      expect(server.seen).toHaveLength(60);
    });
  });

  test('a redirect followed by fetch is a request of its own, with its own retries', async () => {
    await using server = await away();
    const { policy, granted } = shared();
    const dispatcher = composed(undici, ebbInterceptor(policy));
    const got = await createFetch(policy, undici.fetch as never)(`${server.url}/moved`, {
      dispatcher,
    } as never);
    await got.text();
    expect(server.seen.filter(({ path }) => path === '/moved')).toHaveLength(3);
    expect(server.seen.filter(({ path }) => path === '/away')).toHaveLength(3 * 3);
    expect(granted()).toBe(3 + 3 * 3);
  });

  test('a redirect followed between two layers is part of the same call', async () => {
    await using server = await away();
    const { policy } = shared();
    const dispatcher = composed(undici, ebbInterceptor(policy), redirect(undici), ebbInterceptor(policy));
    await (await requester(undici, dispatcher)(`${server.url}/moved`)).text();
    expect(server.seen.map(({ path }) => path)).toEqual(Array(3).fill(['/moved', '/away']).flat());
  });

  test('a dispatcher with ebb retries below a client without ebb', async () => {
    await using server = await away();
    const { policy } = shared();
    const dispatcher = composed(undici, ebbInterceptor(policy));
    const got = await undici.fetch(`${server.url}/away`, { dispatcher });
    await got.text();
    expect(server.seen).toHaveLength(3);
  });

  test('the ebb option of a request applies to the outer layer alone', async () => {
    await using server = await away();
    const { policy } = shared();
    const dispatcher = composed(undici, ebbInterceptor(policy), ebbInterceptor(policy));
    await (await requester(undici, dispatcher, { ebb: { maxRetries: 0 } })(`${server.url}/away`)).text();
    expect(server.seen).toHaveLength(1);
    await (await requester(undici, dispatcher, { ebb: false })(`${server.url}/away`)).text();
    // Without the upper layer, the lower one retries.
    expect(server.seen).toHaveLength(1 + 3);
  });

  test('a request that a body factory sends is a separate call with its own retries', async () => {
    await using server = await away();
    const { policy } = shared(1);
    const free = createPolicy({ maxRetries: 2, backoff: constant(0) });
    const tokens = composed(undici, ebbInterceptor(free));
    const dispatcher = composed(undici, ebbInterceptor(policy), ebbInterceptor(policy));
    const body = async (): Promise<Readable> => {
      const { body: token } = await undici.request(`${server.url}/token`, { dispatcher: tokens });
      return Readable.from([await token.text()]);
    };
    const got = await undici.request(`${server.url}/away`, { method: 'PUT', body, dispatcher });
    await got.body.dump();
    expect(server.seen.filter(({ path }) => path === '/token')).toHaveLength(2 * 3);
    expect(server.seen.filter(({ path }) => path === '/away')).toHaveLength(2);
  });

  test('only one of two interceptors requests the rest of a broken download', async () => {
    let requests = 0;
    const server = createServer(({ headers }, response) => {
      requests += 1;
      if (requests === 1) {
        response
          .writeHead(200, { etag: '"a"', 'content-length': '10' })
          .write('12345', () => response.destroy());
      } else response.writeHead(headers.range ? 503 : 500).end('away');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const free = createPolicy({ maxRetries: 2, backoff: constant(0) });
    const resumes = resumable({ policy: free });
    const dispatcher = composed(undici, ebbInterceptor(free), resumes, ebbInterceptor(free), resumes);
    const got = await requester(
      undici,
      dispatcher,
    )(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await expect(got.text()).rejects.toThrow();
    // The rest is a request of its own, which is sent three times.
    expect(requests).toBe(4);
    server.closeAllConnections();
  });
});

describe('after a refused connection', () => {
  /** A policy whose bucket has five tokens and hardly refills; each attempt takes all five. */
  function fiveTokens() {
    const bucket = tokenBucket({ refillPerSecond: 1e-9, capacity: 5, nonConforming: 'reject' });
    return { bucket, policy: createPolicy({ maxRetries: 2, backoff: constant(0), bucket, cost: 5 }) };
  }

  test.each(versions)('%s: each layer returns its tokens after each attempt', async (_, undici) => {
    const [outer, inner] = [fiveTokens(), fiveTokens()];
    const dispatcher = composed(undici, ebbInterceptor(inner.policy), ebbInterceptor(outer.policy));
    const sent = undici.request(await refusingUrl(), { dispatcher });
    await expect(sent).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    for (const { bucket } of [outer, inner]) {
      expect(bucket.stats()).toMatchObject({ tokens: expect.closeTo(5), granted: 3 });
    }
  });

  test.each(versions)('%s: layers that share a bucket return its tokens once', async (_, undici) => {
    const { bucket, policy } = fiveTokens();
    const dispatcher = composed(undici, ebbInterceptor(policy), ebbInterceptor(policy));
    await expect(undici.request(await refusingUrl(), { dispatcher })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect(bucket.stats()).toMatchObject({ tokens: expect.closeTo(5), granted: 3 });
  });

  test('fetch over a dispatcher: each layer returns its tokens after each attempt', async () => {
    const [outer, inner] = [fiveTokens(), fiveTokens()];
    const dispatcher = composed(versions[1]?.[1] ?? undici8, ebbInterceptor(inner.policy));
    const sent = createFetch(outer.policy)(await refusingUrl(), { dispatcher } as RequestInit);
    await expect(sent).rejects.toThrow('fetch failed');
    for (const { bucket } of [outer, inner]) {
      expect(bucket.stats()).toMatchObject({ tokens: expect.closeTo(5), granted: 3 });
    }
  });
});
