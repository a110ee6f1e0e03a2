import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { constant, createPolicy, type Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor } from '@ebb/undici';
import axios from 'axios';
import * as undici812 from 'undici';
import * as undici730 from 'undici7';
import * as undici70 from 'undici7.0';
import * as undici80 from 'undici8.0';
import { afterEach, describe, expect, test } from 'vitest';

type Undici = typeof undici812;
type Dispatcher = undici812.Dispatcher;
type Interceptor = undici812.Dispatcher.DispatcherComposeInterceptor;

const versions: Readonly<Record<string, Undici>> = {
  '7.0': undici70 as unknown as Undici,
  '7.30': undici730 as unknown as Undici,
  '8.0': undici80 as unknown as Undici,
  '8.12': undici812,
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** What a server saw of one hop. */
interface Hop {
  readonly at: Origin;
  readonly method: string;
  readonly token: string | undefined;
  readonly key: string | undefined;
}

type Origin = 'a' | 'b';

/** Two servers, which send a request along a chain of origins. `refused` numbers respond with 503 first. */
async function servers(chain: readonly Origin[], status: number, refused: readonly number[] = []) {
  const seen: Hop[] = [];
  const urls: Record<string, string> = {};
  const left = new Set(refused);
  for (const at of ['a', 'b'] as const) {
    const server = createServer((request, response) => {
      request.resume();
      const { authorization: token, 'idempotency-key': key } = request.headers;
      seen.push({ at, method: request.method ?? '', token, key: key as string | undefined });
      const hop = Number(request.url?.slice(1));
      const next = chain[hop + 1];
      if (left.delete(hop)) response.writeHead(503).end('later');
      else if (next === undefined) response.end('there');
      else response.writeHead(status, { location: `${urls[next]}/${hop + 1}` }).end('moved');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    urls[at] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    cleanups.push(() => {
      server.closeAllConnections();
      server.close();
    });
  }
  return { seen, url: `${urls[chain[0] as Origin]}/0` };
}

type Send = (url: string, method: string) => Promise<unknown>;

function composed({ Agent }: Undici, ...interceptors: Interceptor[]): Dispatcher {
  const agent = new Agent();
  cleanups.push(() => agent.destroy());
  return agent.compose(...interceptors);
}

const follow = ({ interceptors }: Undici) => interceptors.redirect({ maxRedirections: 5 });

/** An interceptor that gives the dispatcher below it a handler of its own. */
const wrapping: Interceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (...args) => handler.onRequestStart?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  });

const bodyOf = (method: string): object => (method === 'POST' ? { body: 'text' } : {});

function fetching(send: unknown, dispatcher?: Dispatcher): Send {
  return async (url, method) => {
    const init = { method, ...bodyOf(method), ...(dispatcher && { dispatcher }) };
    return (await (send as typeof fetch)(url, init as RequestInit)).text();
  };
}

function requesting({ request }: Undici, dispatcher: Dispatcher): Send {
  return async (url, method) =>
    (await request(url, { method: method as 'GET', ...bodyOf(method), dispatcher })).body.text();
}

function streaming({ stream }: Undici, dispatcher: Dispatcher): Send {
  return (url, method) =>
    stream(url, { method: method as 'GET', ...bodyOf(method), dispatcher }, () => new PassThrough().resume());
}

/** An agent whose pools have a policy each. */
function pooled({ Agent, Pool }: Undici, policy: Policy): Dispatcher {
  const agent = new Agent({
    factory: (origin, options) => new Pool(origin, options).compose(ebbInterceptor(policy)),
  });
  cleanups.push(() => agent.destroy());
  return agent;
}

/** Retries of undici, without a wait. */
const AT_ONCE: undici812.RetryHandler.RetryOptions = {
  ...{ minTimeout: 0, maxTimeout: 0, timeoutFactor: 1 },
  methods: ['GET', 'POST'],
};

const axiosOf = (policy: Policy, adapter: 'http' | 'fetch'): Send => {
  const client = axios.create({ adapter });
  client.interceptors.request.use(ebbAxios(policy));
  return (url, method) => client.request({ url, method, ...(method === 'POST' && { data: 'text' }) });
};

const plain = createPolicy({ maxRetries: 0 });

/** Every client, with a policy that adds headers. */
/** The fetch of Node 26 does not follow redirects over undici 7.0, with or without ebb. */
const isUnfollowed = (client: string): boolean =>
  Number(process.versions.node.split('.')[0]) >= 26 && client.endsWith("Node's fetch over 7.0");

const clients: Readonly<Record<string, (policy: Policy) => Send>> = {
  createFetch: (policy) => fetching(createFetch(policy)),
  'axios, http': (policy) => axiosOf(policy, 'http'),
  'axios, fetch': (policy) => axiosOf(policy, 'fetch'),
  ...Object.assign(
    {},
    ...Object.entries(versions).map(
      ([version, undici]): Record<string, (policy: Policy) => Send> => ({
        [`request of ${version}, redirect above`]: (policy) =>
          requesting(undici, composed(undici, ebbInterceptor(policy), follow(undici))),
        [`request of ${version}, redirect below`]: (policy) =>
          requesting(undici, composed(undici, follow(undici), ebbInterceptor(policy))),
        [`request of ${version}, redirect and another interceptor above`]: (policy) =>
          requesting(undici, composed(undici, ebbInterceptor(policy), wrapping, follow(undici))),
        [`stream of ${version}`]: (policy) =>
          streaming(undici, composed(undici, ebbInterceptor(policy), follow(undici))),
        [`fetch of ${version}`]: (policy) => fetching(undici.fetch, composed(undici, ebbInterceptor(policy))),
        [`Node's fetch over ${version}`]: (policy) =>
          fetching(fetch, composed(undici, ebbInterceptor(policy))),
        [`createFetch over the fetch of ${version}`]: (policy) =>
          fetching(createFetch(plain, undici.fetch as never), composed(undici, ebbInterceptor(policy))),
        [`createFetch over Node's fetch over ${version}`]: (policy) =>
          fetching(createFetch(plain), composed(undici, ebbInterceptor(policy))),
        [`fetch of ${version} over pools that add`]: (policy) =>
          fetching(undici.fetch, pooled(undici, policy)),
        [`request of ${version} over pools that add, redirect above`]: (policy) =>
          requesting(undici, pooled(undici, policy).compose(follow(undici))),
        [`stream of ${version} over pools that add`]: (policy) =>
          streaming(undici, pooled(undici, policy).compose(follow(undici))),
        [`request of ${version}, redirect and retry above`]: (policy) =>
          requesting(
            undici,
            composed(undici, ebbInterceptor(policy), undici.interceptors.retry(AT_ONCE), follow(undici)),
          ),
        [`fetch of ${version} over a RetryAgent`]: (policy) =>
          fetching(undici.fetch, new undici.RetryAgent(composed(undici, ebbInterceptor(policy)), AT_ONCE)),
        [`two layers of ${version}, the lower adds`]: (policy) =>
          fetching(undici.fetch, composed(undici, ebbInterceptor(policy), ebbInterceptor(plain))),
        [`two layers of ${version}, the upper adds`]: (policy) =>
          fetching(undici.fetch, composed(undici, ebbInterceptor(plain), ebbInterceptor(policy))),
      }),
    ),
  ),
};

const following = Object.entries(clients).filter(([client]) => !isUnfollowed(client));

const CHAINS: readonly (readonly Origin[])[] = [
  ['a', 'a'],
  ['a', 'b'],
  ['a', 'b', 'a'],
  ['a', 'a', 'b', 'b'],
];
/** Every status for a hop to another origin, and for the other chains one that changes the method and one that keeps it. */
const cases = CHAINS.flatMap((chain) =>
  (chain.join() === 'a,b' ? [301, 302, 303, 307, 308] : [303, 307]).flatMap((status) =>
    ['GET', 'POST'].map((method) => [chain.join(' → '), status, method, chain] as const),
  ),
);

/** The method of each hop after the first. */
function laterMethod(status: number, method: string): string {
  return status < 304 ? 'GET' : method;
}

/** An inner layer adds no key: the request is that of the layer around it. */
const isInner = (name: string): boolean =>
  name.startsWith('createFetch over') || name.endsWith('the lower adds');

/** A client that gives ebb each hop as a request of its own. */
const hopwise = (name: string): boolean =>
  /^(fetch|Node's|stream|request.*above|request.*pools)/.test(name) ||
  name.startsWith('two layers') ||
  name.startsWith('createFetch over');

/** One that repeats by itself what ebb has sent. */
const repeats = (name: string): boolean => /retry|Retry/.test(name);

describe.each(following)('%s', (name, make) => {
  const policyFor = (trustedOrigins?: readonly string[]) => {
    let keys = 0;
    return createPolicy({
      maxRetries: repeats(name) ? 0 : 2,
      backoff: constant(0),
      methods: 'all',
      trustedOrigins,
      beforeAttempt: () => ({ authorization: 'secret' }),
      idempotencyKey() {
        keys += 1;
        return `key ${keys}`;
      },
    });
  };
  const isOwn = /^(createFetch|axios, )/.test(name) && !name.startsWith('createFetch over');

  test.each(cases)('%s by %i of a %s', async (_, status, method, chain) => {
    for (const isDefault of isOwn ? [true, false] : [false]) {
      const { seen, url } = await servers(chain, status);
      await make(policyFor(isDefault ? undefined : [new URL(url).origin]))(url, method);
      const stays = (hop: number): boolean => chain.slice(0, hop + 1).every((at) => at === 'a');
      const isGiven = (hop: number): boolean => (hopwise(name) ? chain[hop] === 'a' : stays(hop));
      expect(seen.map(({ at, token }) => [at, token])).toEqual(
        chain.map((at, hop) => [at, isGiven(hop) ? 'secret' : undefined]),
      );
      expect(seen.map((hop) => hop.method)).toEqual(
        chain.map((_at, hop) => (hop === 0 ? method : laterMethod(status, method))),
      );
      if (isInner(name)) expect(seen.map(({ key }) => key)).toEqual(chain.map(() => undefined));
      else if (hopwise(name)) {
        // Each hop is a request of its own, and has a key of its own.
        const own = seen.filter((hop) => hop.method === 'POST').map(({ key }) => key);
        expect(own).toEqual(own.map((_key, at) => `key ${at + 1}`));
      } else
        expect(seen.map(({ key }) => key)).toEqual(
          chain.map(() => (method === 'POST' ? 'key 1' : undefined)),
        );
    }
  });

  test.each(
    [302, 307].flatMap((status) =>
      (
        [
          ['a', 'a'],
          ['a', 'b'],
        ] as const
      ).flatMap((chain) =>
        [[0], [1], [0, 1]].map(
          (refused) => [refused.join(' and '), chain.join(' → '), status, chain, refused] as const,
        ),
      ),
    ),
  )(
    'no credential goes astray if hop %s of %s by %i fails first',
    async (_, _chain, status, chain, refused) => {
      const { seen, url } = await servers(chain, status, refused);
      await make(policyFor([new URL(url).origin]))(url, 'POST').catch(() => undefined);
      expect(seen.length).toBeGreaterThan(0);
      for (const { at, token } of seen) if (at === 'b') expect(token).toBeUndefined();
      expect(seen[0]?.token).toBe('secret');
    },
  );
});
