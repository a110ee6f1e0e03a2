import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPolicy, unauthorized } from '@ebb/core';
import { expect, test } from 'vitest';
import { clients } from './clients.ts';

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
  const use = [unauthorized({ refresh })];
  const client = makeClient(createPolicy({ use, trustedOrigins: [url], maxRetries: 0 }));
  const post = { method: 'POST', body: 'text' };
  const got = await Promise.all([{}, post, {}].map((sent) => client.send(url, sent)));
  expect(got.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect([refreshes(), ...seen]).toEqual([1, '401', '401', '401', '200', '200', '200']);
  await client.close();
  server.closeAllConnections();
  server.close();
});
