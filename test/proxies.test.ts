import { execFile } from 'node:child_process';
import { Agent as HttpsAgent } from 'node:https';
import { promisify } from 'node:util';
import { attemptsOf, constant, createPolicy, type Policy } from '@ebb/core';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import * as undici8 from 'undici';
import * as undici7 from 'undici7';
import { expect, onTestFinished, test } from 'vitest';
import { axiosClient } from './axios-client.ts';
import { type Client, fetchClient } from './fetch-client.ts';
import { nodeStream } from './node-stream.ts';
import { type Refusal, refusals, refusingProxy } from './proxy.ts';
import { undiciClient } from './undici-client.ts';

type Version = typeof undici8;
type MakeClient = (policy: Policy, proxy: string) => Client;

const tls = { rejectUnauthorized: false };
const v7 = undici7 as unknown as Version;

const agentOf = ({ ProxyAgent }: Version, uri: string) => new ProxyAgent({ uri, requestTls: tls });

const fetchOver =
  (undici: Version, fetch: unknown): MakeClient =>
  (policy, proxy) => {
    const dispatcher = agentOf(undici, proxy);
    const client = fetchClient(policy, { dispatcher }, fetch as typeof globalThis.fetch);
    return { ...client, close: () => dispatcher.destroy() };
  };

const requestOver =
  ({ ProxyAgent, interceptors, request }: Version): MakeClient =>
  (policy, uri) => {
    const Agent = class extends ProxyAgent {
      constructor() {
        super({ uri, requestTls: tls });
      }
      override compose(...above: never[]) {
        return super.compose(interceptors.redirect({ maxRedirections: 3 }), ...above);
      }
    };
    return undiciClient({ Agent: Agent as never, request }, policy);
  };

const clients: Readonly<Record<string, MakeClient>> = {
  'Node’s fetch': fetchOver(v7, fetch),
  'fetch of undici 8': fetchOver(undici8, undici8.fetch),
  'fetch of undici 7': fetchOver(v7, undici7.fetch),
  'axios, with its proxy': (policy, proxy) => {
    const { hostname: host, port } = new URL(proxy);
    const httpsAgent = new HttpsAgent(tls);
    return axiosClient(policy, { proxy: { host, port: Number(port) }, httpsAgent }, nodeStream);
  },
  'axios, with the proxy of an agent': (policy, proxy) => {
    const httpsAgent = new HttpsAgent({ ...tls, proxyEnv: { HTTPS_PROXY: proxy } });
    return axiosClient(policy, { httpsAgent }, nodeStream);
  },
  'axios over fetch': (policy, proxy) => {
    const dispatcher = agentOf(v7, proxy);
    const config = { adapter: 'fetch', fetchOptions: { dispatcher, redirect: 'error' } };
    const client = axiosClient(policy, config as object, nodeStream);
    return { ...client, close: () => dispatcher.destroy() };
  },
  'undici 8': requestOver(undici8),
  'undici 7': requestOver(v7),
};

/** undici 7 asks for another tunnel by itself, without end, if the proxy hangs up. Bare axios waits for ever for the answer of its own proxy. */
const hears = (client: string, refusal: string): boolean =>
  refusal !== 'a hangup' || /8|of an agent/.test(client);

const cases = Object.keys(clients).flatMap((client) =>
  Object.keys(refusals)
    .filter((refusal) => hears(client, refusal))
    .map((refusal) => [client, refusal] as const),
);

test.each(cases)('%s: %s to a tunnel is a refused connection', async (client, refusal) => {
  await using proxy = await refusingProxy(refusals[refusal] as Refusal);
  const policy = createPolicy({ backoff: constant(0) });
  const { send, history, close } = (clients[client] as MakeClient)(policy, proxy.url);
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? 'x' : undefined;
    expect(await send(proxy.target, { method, ...(body && { body }) })).toEqual({ status: 200, body: 'up' });
    expect(history?.()).toMatchObject([
      { failure: 'connect', reason: 'refused' },
      { failure: 'connect', reason: 'refused' },
      { status: 200 },
    ]);
  }
  expect(proxy.methods).toEqual(['GET', 'POST']);
  expect(proxy.tunnels()).toBe(6);
  await close();
});

test.each(Object.keys(clients).filter((client) => client !== 'axios over fetch'))(
  '%s: a POST is not repeated if the tunnel to the target of its redirect is refused',
  async (client) => {
    await using proxy = await refusingProxy(refusals['a 503'] as Refusal);
    const policy = createPolicy({ backoff: constant(0) });
    const { send, history, close } = (clients[client] as MakeClient)(policy, proxy.url);
    const sent = send(`${proxy.target}redirect`, { method: 'POST', body: 'x' });
    const attempts = await sent.then(() => history?.(), attemptsOf);
    await close();
    expect(attempts).toMatchObject([{}, {}, { failure: 'connect', reason: 'not-idempotent' }]);
    expect([proxy.methods, proxy.tunnels()]).toEqual([['POST'], 4]);
  },
);

test('Node’s fetch and axios in a program with NODE_USE_ENV_PROXY=1', async () => {
  await using proxy = await refusingProxy(refusals['a 503'] as Refusal);
  const program = new URL('proxied.ts', import.meta.url).pathname;
  const args = ['--no-warnings', '--conditions=@ebb/source', program, proxy.target];
  const env = {
    PATH: process.env.PATH,
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: proxy.url,
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const history = 'connect refused, connect refused, 200 success';
  expect(stdout.trim().split('\n')).toEqual(
    ['fetch GET', 'fetch POST', 'axios GET', 'axios POST'].map((sent) => `${sent}: ${history}`),
  );
});

test('axios: a mocked 503 over TLS is no refused tunnel', async () => {
  const mocked = setupServer(http.post('*', () => new HttpResponse('no', { status: 503 })));
  mocked.listen();
  onTestFinished(() => mocked.close());
  const { send, history } = axiosClient(createPolicy({ backoff: constant(0) }), {}, nodeStream);
  expect(await send('https://upstream.test/', { method: 'POST', body: 'x' })).toMatchObject({ status: 503 });
  expect(history?.()).toMatchObject([{ status: 503, reason: 'not-idempotent' }]);
});
