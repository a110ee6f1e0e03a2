import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { createPolicy, type PolicyOptions, refreshOn401 } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import { afterEach, describe, expect, test } from 'vitest';
import { type Client, clients, type MakeClient } from './clients.ts';
import { type Step, type Upstream, upstream } from './server.ts';

/** Knows one token, which `/token` changes. Holds the first three requests until all of them are there. */
async function startService() {
  const seen: string[] = [];
  const held: (() => void)[] = [];
  let refreshes = 0;
  const respond = (response: ServerResponse, status: number): void => {
    seen.push(`${status}`);
    response.writeHead(status).end();
  };
  const server = createServer(({ url, headers }, response) => {
    if (url === '/token') {
      refreshes += 1;
      response.end(`token ${refreshes}`);
      return;
    }
    const isKnown = refreshes > 0 && headers.authorization === `token ${refreshes}`;
    const next = () => respond(response, isKnown ? 200 : 401);
    if (held.push(next) < 3) return;
    for (const one of held.splice(0, 3)) one();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen, server, refreshes: () => refreshes };
}

test.each(Object.entries(clients))('%s refreshes once for all requests in flight', async (_, makeClient) => {
  const { url, seen, server, refreshes } = await startService();
  const refresh = async () => ({ authorization: await (await fetch(`${url}/token`)).text() });
  const plugins = [refreshOn401({ refresh })];
  const client = makeClient(createPolicy({ plugins, trustedOrigins: [url], maxRetries: 0 }));
  const post = { method: 'POST', body: 'text' };
  const got = await Promise.all([{}, post, {}].map((sent) => client.send(url, sent)));
  expect(got.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect([refreshes(), ...seen]).toEqual([1, '401', '401', '401', '200', '200', '200']);
  await client.close();
  server.closeAllConnections();
  server.close();
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serve(script: readonly Step[]): Promise<Upstream> {
  const server = await upstream(script);
  open.push(server);
  return server;
}

function make(makeClient: MakeClient, options: PolicyOptions): Client {
  const client = makeClient(createPolicy(options));
  open.push(client);
  return client;
}

const LINE =
  "refreshOn401: trustedOrigins must be set in its policy, such as trustedOrigins: ['https://api.example.com'], got undefined";

test.each<[name: string, make: (options: PolicyOptions) => unknown]>([
  ['createPolicy', createPolicy],
  ['createFetch', createFetch],
  ['axios', ebbAxios],
  ['undici', ebbUndici],
])('%s refuses it without trustedOrigins, and says which line to add', (_, make) => {
  const plugins = [refreshOn401({ refresh: () => ({ authorization: 'secret' }) })];
  expect(() => make({ plugins })).toThrow(TypeError);
  expect(() => make({ plugins })).toThrow(LINE);
  expect(() => make({ plugins, trustedOrigins: undefined })).toThrow(LINE);
  // A copy of a policy is made anew.
  expect(() => make({ ...createPolicy(), plugins })).toThrow(LINE);
  for (const trustedOrigins of [[], ['https://api.example.com'], () => true])
    expect(() => make({ plugins, trustedOrigins })).not.toThrow();
});

describe.each(Object.entries(clients))('%s', (_, makeClient) => {
  test('the same holds for the options of one request, before it is sent', async () => {
    const server = await serve([{ status: 401 }]);
    const client = make(makeClient, {});
    const plugins = [refreshOn401({ refresh: () => ({ authorization: 'secret' }) })];
    await expect(client.send(server.url, { ebb: { plugins } })).rejects.toThrow(LINE);
    expect(server.seen).toHaveLength(0);
  });

  test('a refresh that sends through its own client fails, and says so', async () => {
    const server = await serve([{ status: 401 }]);
    const refresh = async () => ({ authorization: (await client.send(`${server.url}token`, {})).body });
    const plugins = [refreshOn401({ refresh })];
    const client: Client = make(makeClient, { plugins, trustedOrigins: () => true });
    const error: unknown = await client.send(server.url, {}).catch((thrown: unknown) => thrown);
    // axios has an error of its own around it.
    const own = [error, (error as Error).cause].find((one) => (one as Error).name === 'HookError');
    expect(own).toMatchObject({
      hook: 'refresh',
      message:
        'refresh failed: it sends through the client that it refreshes, which waits for it: use another client',
    });
    expect(server.seen.map(({ path }) => path)).toEqual(['/']);
  });
});
