import { Agent as HttpAgent } from 'node:http';
import { failover as failoverAxios } from '@ebb/axios/failover';
import { constant, createPolicy, type Plugin, type Policy } from '@ebb/core';
import { overridePolicy } from '@ebb/core/adapter';
import { failover } from '@ebb/fetch/failover';
import { suite } from '@ebb/testing';
import { Agent as NodeFetchAgent } from 'undici7';
import { describe, expect, onTestFinished, test } from 'vitest';
import { axiosClient } from './axios-client.ts';
import { type Client, fetchClient } from './fetch-client.ts';
import { nodeStream } from './node-stream.ts';
import { eachNth } from './pairs.ts';
import { refusingUrl } from './refusing.ts';
import { type Step, upstream } from './server.ts';
import { axiosOverHttp, traits } from './traits.ts';

const PLUGINS = { fetch: failover, axios: failoverAxios };
type Name = keyof typeof PLUGINS;

const withOne = (policy: Policy, plugin: Plugin): Policy =>
  overridePolicy(policy, { plugins: [...(policy.plugins ?? []), plugin] });

/** A client for each origin, which has a list of that origin alone. */
function perOrigin(
  name: Name,
  policy: Policy,
  make: (policy: Policy) => Client,
  close: () => unknown,
): Client {
  const clients = new Map<string, Client>();
  let last: Client | undefined;
  const clientFor = (origin: string): Client => {
    const found = clients.get(origin) ?? make(withOne(policy, PLUGINS[name]({ origins: [origin] })));
    clients.set(origin, found);
    last = found;
    return found;
  };
  return {
    send: async (url, sent, signal) => await clientFor(new URL(url).origin).send(url, sent, signal),
    history: () => last?.history?.(),
    close: async () => void (await close()),
  };
}

// A caller sees in nothing else that its requests could go to other origins.
suite(eachNth({ describe, test }, 4, 0), {
  ...traits.fetch,
  name: 'fetch, failover, over sockets',
  client: (policy, limits) => {
    const dispatcher = new NodeFetchAgent(limits ?? {});
    return perOrigin(
      'fetch',
      policy,
      (own) => fetchClient(own, { dispatcher }),
      () => dispatcher.close(),
    );
  },
});
suite(eachNth({ describe, test }, 4, 2), {
  ...traits.axios,
  differs: { ...traits.axios.differs, ...axiosOverHttp },
  name: 'axios, failover, over sockets',
  client: (policy, limits) => {
    const agent = limits && new HttpAgent({ keepAlive: true, maxSockets: limits.connections });
    const config = agent ? { httpAgent: agent } : {};
    return perOrigin(
      'axios',
      policy,
      (own) => axiosClient(own, config, nodeStream),
      () => agent?.destroy(),
    );
  },
});

describe.each<[Name, (policy: Policy) => Client]>([
  ['fetch', (policy) => fetchClient(policy)],
  ['axios', (policy) => axiosClient(policy, {}, nodeStream)],
])('%s over sockets', (name, make) => {
  /** A client of two origins, of which the first has this script, or refuses connections. */
  async function two(script: readonly Step[] | undefined) {
    const [first, other] = [
      script && (await upstream(script)),
      await upstream([{ status: 200, body: 'other' }]),
    ];
    onTestFinished(async () => {
      await Promise.all([first?.close(), other.close()]);
    });
    const urls = [first?.url ?? (await refusingUrl()), other.url];
    const plugin = PLUGINS[name]({ origins: urls.map((url) => new URL(url).origin) });
    const client = make(createPolicy({ backoff: constant(0), plugins: [plugin] }));
    const own = new URL('/items', urls[0]).href;
    return { own, first, other, client };
  }

  test('a POST that was refused goes to the next origin, with the host of that', async () => {
    const { own, other, client } = await two(undefined);
    expect(await client.send(own, { method: 'POST', body: 'text' })).toEqual({ status: 200, body: 'other' });
    const [seen] = other.seen;
    expect(seen).toMatchObject({ method: 'POST', body: 'text', path: '/items' });
    expect(seen?.headers.host).toBe(new URL(other.url).host);
  });

  test('a POST that may have been carried out does not', async () => {
    const { own, first, other, client } = await two(['reset']);
    await expect(client.send(own, { method: 'POST', body: 'text' })).rejects.toThrow();
    expect([first?.seen.length, other.seen.length]).toEqual([1, 0]);
  });

  test('an upload that is made for each attempt goes to each origin', async () => {
    const { own, first, other, client } = await two([{ status: 503 }]);
    expect((await client.send(own, { method: 'PUT', factory: 'made' })).status).toBe(200);
    expect([first?.seen[0]?.body, other.seen[0]?.body]).toEqual(['made', 'made']);
  });
});
