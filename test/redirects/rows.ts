import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { constant, createPolicy, type Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor } from '@ebb/undici';
import axios from 'axios';
import type * as undici from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pairs } from '../pairs.ts';

export type Undici = typeof undici;
type Dispatcher = undici.Dispatcher;
type Interceptor = undici.Dispatcher.DispatcherComposeInterceptor;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** What a server saw of one hop. */
interface Hop {
  readonly at: Origin;
  /** From 0. */
  readonly hop: number;
  readonly method: string;
  readonly token: string | undefined;
  readonly key: string | undefined;
}

type Origin = 'a' | 'b';

/** What the servers do with the requests of one test. */
interface Script {
  readonly chain: readonly Origin[];
  readonly status: number;
  readonly refused: Set<number>;
  readonly seen: Hop[];
}

let script: Script;
const urls: Record<string, string> = {};
const listening = (['a', 'b'] as const).map((at) => [at, createServer()] as const);

beforeAll(async () => {
  for (const [at, server] of listening) {
    server.on('request', (request, response) => {
      const { chain, status, refused, seen } = script;
      request.resume();
      const { authorization: token, 'idempotency-key': key } = request.headers;
      const hop = Number(request.url?.slice(1));
      seen.push({ at, hop, method: request.method ?? '', token, key: key as string | undefined });
      const next = chain[hop + 1];
      if (refused.delete(hop)) response.writeHead(503).end('later');
      else if (next === undefined) response.end('there');
      else response.writeHead(status, { location: `${urls[next]}/${hop + 1}` }).end('moved');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    urls[at] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
afterAll(async () => {
  for (const agent of agents.values()) await agent.destroy();
  for (const [, server] of listening) {
    server.closeAllConnections();
    server.close();
  }
});

/** Two servers, which send a request along a chain of origins. `refused` numbers respond with 503 first. */
function serve(chain: readonly Origin[], status: number, refused: readonly number[] = []) {
  script = { chain, status, refused: new Set(refused), seen: [] };
  return {
    seen: script.seen,
    url: `${urls[chain[0] as Origin]}/0`,
    originOf: (at: Origin) => urls[at] as string,
  };
}

type Send = (url: string, method: string) => Promise<unknown>;

const agents = new Map<Undici, Dispatcher>();

/** Over one agent of that version. */
function composed(undici: Undici, ...interceptors: Interceptor[]): Dispatcher {
  const agent = agents.get(undici) ?? new undici.Agent();
  agents.set(undici, agent);
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
const AT_ONCE: undici.RetryHandler.RetryOptions = {
  ...{ minTimeout: 0, maxTimeout: 0, timeoutFactor: 1 },
  methods: ['GET', 'POST'],
};

const axiosOf = (policy: Policy, adapter: 'http' | 'fetch'): Send => {
  const client = axios.create({ adapter });
  client.interceptors.request.use(ebbAxios(policy));
  return (url, method) => client.request({ url, method, ...(method === 'POST' && { data: 'text' }) });
};

const single = createPolicy({ maxRetries: 0 });
const retrying = createPolicy({ backoff: constant(0), methods: 'all' });

/** A client, with a policy that adds headers. */
interface Client {
  readonly make: (policy: Policy) => Send;
  /** True if ebb is given each hop of a redirect as a request of its own. */
  readonly seesHops: boolean;
  /** The hops that another layer of ebb above sends: an inner one adds no key. */
  readonly inner?: 'all' | 'first';
  /** True if something else repeats what ebb has sent. */
  readonly isRepeated?: boolean;
}

/** Dispatchers that are given hops, and what is said of them. */
const dispatchers: Readonly<
  Record<string, Partial<Client> & { readonly over: (undici: Undici, policy: Policy) => Dispatcher }>
> = {
  'ebb alone': { over: (undici, policy) => composed(undici, ebbInterceptor(policy)) },
  'ebb below another interceptor': {
    over: (undici, policy) => composed(undici, ebbInterceptor(policy), wrapping),
  },
  'pools with ebb': { over: pooled },
  'ebb below ebb': {
    inner: 'all',
    over: (undici, policy) => composed(undici, ebbInterceptor(policy), ebbInterceptor(retrying)),
  },
  'ebb above ebb': {
    over: (undici, policy) => composed(undici, ebbInterceptor(single), ebbInterceptor(policy)),
  },
  'ebb below interceptors.retry': {
    isRepeated: true,
    over: (undici, policy) => composed(undici, ebbInterceptor(policy), undici.interceptors.retry(AT_ONCE)),
  },
  'ebb below a RetryAgent': {
    isRepeated: true,
    over: (undici, policy) => new undici.RetryAgent(composed(undici, ebbInterceptor(policy)), AT_ONCE),
  },
};

/** The clients over one version of undici. */
export function clientsOf(version: string, undici: Undici): Record<string, Client> {
  const seesHops = true;
  const all: Record<string, Client> = {
    [`request of ${version}, redirect below`]: {
      seesHops: false,
      make: (policy) => requesting(undici, composed(undici, follow(undici), ebbInterceptor(policy))),
    },
    [`Node's fetch over ${version}`]: {
      seesHops,
      make: (policy) => fetching(fetch, composed(undici, ebbInterceptor(policy))),
    },
    [`createFetch over the fetch of ${version}`]: {
      seesHops,
      inner: 'first',
      make: (policy) =>
        fetching(createFetch(retrying, undici.fetch as never), composed(undici, ebbInterceptor(policy))),
    },
    [`createFetch over Node's fetch over ${version}`]: {
      seesHops,
      inner: 'first',
      make: (policy) => fetching(createFetch(retrying), composed(undici, ebbInterceptor(policy))),
    },
  };
  // The others are the same code of ebb.
  const isNewest = version === '7.30' || version === '8.12';
  for (const [name, { over, ...said }] of Object.entries(dispatchers).slice(0, isNewest ? undefined : 3)) {
    const followed = (policy: Policy): Dispatcher => over(undici, policy).compose(follow(undici));
    const own = { seesHops, ...said };
    all[`fetch of ${version}, ${name}`] = {
      ...own,
      make: (policy) => fetching(undici.fetch, over(undici, policy)),
    };
    all[`request of ${version}, ${name}`] = {
      ...own,
      make: (policy) => requesting(undici, followed(policy)),
    };
    all[`stream of ${version}, ${name}`] = { ...own, make: (policy) => streaming(undici, followed(policy)) };
  }
  return all;
}

/** The clients that follow redirects themselves. */
export const ownRedirects: Readonly<Record<string, Client>> = {
  createFetch: { seesHops: false, make: (policy) => fetching(createFetch(policy)) },
  'axios, http': { seesHops: false, make: (policy) => axiosOf(policy, 'http') },
  'axios, fetch': { seesHops: false, make: (policy) => axiosOf(policy, 'fetch') },
};

/** The fetch of Node 26 does not follow redirects over undici 7.0, with or without ebb. */
const isUnfollowed = (client: string): boolean =>
  Number(process.versions.node.split('.')[0]) >= 26 && client.endsWith("Node's fetch over 7.0");

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

/** The first chains again, with hops that fail first. */
const failing = [302, 307].flatMap((status) =>
  CHAINS.slice(0, 2).flatMap((chain) =>
    [[0], [1], [0, 1]].map((refused) => [chain.join(' → '), status, refused.join(), chain, refused] as const),
  ),
);

/** The method of each hop after the first. */
function laterMethod(status: number, method: string): string {
  return status < 304 ? 'GET' : method;
}

/** How a client is made: the function, the version of undici, and the dispatcher. */
const partsOf = (client: string): readonly string[] => client.split(/ of | over (?=\d)|, /);

/** Sends chains with each client. */
export function testRedirects(clients: Readonly<Record<string, Client>>): void {
  const names = Object.keys(clients).filter((client) => !isUnfollowed(client));
  const withEach = <T>(all: readonly T[]) => names.flatMap((name) => all.map((one) => [name, one] as const));
  const moved = pairs(withEach(cases), ([name, [chain, status, method]]) => [
    chain,
    status,
    method,
    ...partsOf(name),
  ]);
  const failed = pairs(withEach(failing), ([name, [chain, status, at]]) => [
    chain,
    status,
    at,
    ...partsOf(name),
  ]);
  for (const name of names) {
    const own = <T>(all: readonly (readonly [string, T])[]) =>
      all.filter(([client]) => client === name).map(([, one]) => one);
    const [redirected, retried] = [own(moved), own(failed)];
    if (redirected.length + retried.length > 0)
      describe(name, () => testClient(name, clients[name] as Client, redirected, retried));
  }
}

function testClient(
  name: string,
  { make, seesHops, inner, isRepeated }: Client,
  redirected: readonly (typeof cases)[number][],
  retried: readonly (typeof failing)[number][],
): void {
  /** The origins that are trusted; `undefined` for the default. */
  const trusts: (readonly Origin[] | undefined)[] = [['a'], ['a', 'b']];
  if (/^(createFetch|axios)/.test(name) && !seesHops) trusts.push(undefined);

  const policyFor = (trustedOrigins: readonly string[] | undefined) => {
    let keys = 0;
    return createPolicy({
      maxRetries: isRepeated ? 0 : 2,
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

  /** Of a request that the server saw. What the client follows itself has the credential until it leaves the origin. */
  function tokenOf(chain: readonly Origin[], trusted: readonly Origin[] = ['a'], { at, hop }: Hop) {
    const isGiven = seesHops
      ? trusted.includes(at)
      : trusted.includes('a') && chain.slice(0, hop + 1).every((one) => one === 'a');
    return isGiven ? 'secret' : undefined;
  }

  test.each(redirected)('%s by %i of a %s', async (_, status, method, chain) => {
    for (const trusted of trusts) {
      const { seen, url, originOf } = serve(chain, status);
      await make(policyFor(trusted?.map(originOf)))(url, method);
      const methods = chain.map((_at, hop) => (hop === 0 ? method : laterMethod(status, method)));
      expect(seen.map(({ at }) => at)).toEqual(chain);
      expect(seen.map((hop) => hop.method)).toEqual(methods);
      expect(seen.map(({ token }) => token)).toEqual(seen.map((hop) => tokenOf(chain, trusted, hop)));
      // A hop that ebb sees has a key of its own.
      const keyOf = (hop: number): string | undefined => {
        const isInner = inner === 'all' || (inner === 'first' && hop === 0);
        if (isInner || (seesHops ? methods[hop] : method) !== 'POST') return undefined;
        const earlier = inner === 'first' ? hop - 1 : hop;
        return `key ${seesHops ? earlier + 1 : 1}`;
      };
      expect(seen.map(({ key }) => key)).toEqual(chain.map((_at, hop) => keyOf(hop)));
    }
  });

  test.each(retried)('%s by %i, if hop %s fails first', async (_, status, _refused, chain, refused) => {
    for (const trusted of trusts) {
      const { seen, url, originOf } = serve(chain, status, refused);
      await make(policyFor(trusted?.map(originOf)))(url, 'GET');
      expect(seen.at(-1)?.hop).toBe(chain.length - 1);
      for (const hop of refused) expect(seen.filter((one) => one.hop === hop).length).toBeGreaterThan(1);
      expect(seen.map(({ token }) => token)).toEqual(seen.map((hop) => tokenOf(chain, trusted, hop)));
    }
  });
}
