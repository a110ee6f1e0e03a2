// The first of two hosts is down. Prints how often each was asked for seven requests, of which five need a retry:
//   200 200 200 200 200 200 200
//   first host: 5, other host: 7
//   left out: the first host
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { failover } from '@ebb/fetch/failover';

const asked = [0, 0];

async function serve(host: number, status: number): Promise<string> {
  const server = createServer((_, response) => {
    asked[host] = (asked[host] ?? 0) + 1;
    response.writeHead(status).end();
  }).unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const origins = [await serve(0, 503), await serve(1, 200)];
const hosts = failover({ origins });
const fetch = createFetch({ backoff: constant(10), attemptTimeoutMs: 2_000, plugins: [hosts] });

const statuses: number[] = [];
for (let request = 0; request < 7; request += 1) {
  const response = await fetch(`${origins[0]}/items`);
  await response.text();
  statuses.push(response.status);
}
console.log(statuses.join(' '));
console.log(`first host: ${asked[0]}, other host: ${asked[1]}`);
console.log(`left out: ${hosts.ejected.includes(origins[0] ?? '') ? 'the first host' : 'none'}`);
