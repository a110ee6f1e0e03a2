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
        [`stream of ${version}`]: (policy) => {
          const dispatcher = composed(undici, ebbInterceptor(policy), follow(undici));
          return (url, method) =>
            undici.stream(url, { method: method as 'GET', ...bodyOf(method), dispatcher }, () =>
              new PassThrough().resume(),
            );
        },
        [`fetch of ${version}`]: (policy) => fetching(undici.fetch, composed(undici, ebbInterceptor(policy))),
        [`Node's fetch over ${version}`]: (policy) =>
          fetching(fetch, composed(undici, ebbInterceptor(policy))),
        [`createFetch over the fetch of ${version}`]: (policy) =>
          fetching(createFetch(plain, undici.fetch as never), composed(undici, ebbInterceptor(policy))),
        [`createFetch over Node's fetch over ${version}`]: (policy) =>
          fetching(createFetch(plain), composed(undici, ebbInterceptor(policy))),
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

describe.each(following)('%s', (name, make) => {
  const policy = () => {
    let keys = 0;
    return createPolicy({
      maxRetries: 2,
      backoff: constant(0),
      methods: 'all',
      beforeAttempt: () => ({ authorization: 'secret' }),
      idempotencyKey() {
        keys += 1;
        return `key ${keys}`;
      },
    });
  };

  test.each(cases)('%s by %i of a %s', async (_, status, method, chain) => {
    const { seen, url } = await servers(chain, status);
    await make(policy())(url, method);
    const stays = (hop: number): boolean => chain.slice(0, hop + 1).every((at) => at === chain[0]);
    const key = method === 'POST' && !isInner(name) ? 'key 1' : undefined;
    expect(seen).toEqual(
      chain.map((at, hop) => ({
        at,
        method: hop === 0 ? method : laterMethod(status, method),
        token: stays(hop) ? 'secret' : undefined,
        key,
      })),
    );
  });

  test('calls after one that was redirected have what is theirs', async () => {
    const { seen, url } = await servers(['a', 'b'], 307);
    const send = make(policy());
    await send(url, 'POST');
    await send(url, 'POST');
    await send(`${url.slice(0, -1)}1`, 'POST');
    expect(seen.map(({ token }) => token)).toEqual(['secret', undefined, 'secret', undefined, 'secret']);
    const keys = isInner(name) ? Array(5).fill(undefined) : ['key 1', 'key 1', 'key 2', 'key 2', 'key 3'];
    expect(seen.map(({ key }) => key)).toEqual(keys);
  });
});

const hopwise = following.filter(([name]) => /^(fetch|Node's|stream|request.*above)/.test(name));

describe.each(hopwise)('%s', (_, make) => {
  test.each<[string, readonly Origin[], (string | undefined)[]]>([
    ['its own origin', ['a', 'a'], ['secret 1', 'secret 1', 'secret 2']],
    ['another origin', ['a', 'b'], ['secret 1', undefined, undefined]],
  ])('a retry of a hop to %s', async (_name, chain, tokens) => {
    const { seen, url } = await servers(chain, 307, [1]);
    const policy = createPolicy({
      backoff: constant(0),
      idempotencyKey: true,
      beforeAttempt: ({ attempt }) => ({ authorization: `secret ${attempt}` }),
    });
    await make(policy)(url, 'POST');
    expect(seen.map(({ token }) => token)).toEqual(tokens);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  });
});
