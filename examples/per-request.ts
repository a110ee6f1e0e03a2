// A request can override the policy, or bypass it. Prints how many requests a server receives that always fails:
//   as the policy says: 4
//   with ebb: { maxRetries: 1 }: 2
//   with ebb: false: 1
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

let requests = 0;
const server = createServer((_, response) => {
  requests += 1;
  response.writeHead(503).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const fetch = createFetch({ maxRetries: 3, backoff: constant(50) });

await fetch(url);
console.log(`as the policy says: ${requests}`);

requests = 0;
await fetch(url, { ebb: { maxRetries: 1 } });
console.log(`with ebb: { maxRetries: 1 }: ${requests}`);

requests = 0;
await fetch(url, { ebb: false });
console.log(`with ebb: false: ${requests}`);
server.close();
