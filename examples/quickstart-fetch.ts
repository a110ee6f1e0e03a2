// fetch retries while the server is down. Prints:
//   200 after 3 attempts: 503, 503, 200
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attemptsOf, equalJitter } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

let requests = 0;
const server = createServer((_, response) => {
  requests += 1;
  response.writeHead(requests < 3 ? 503 : 200).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;

// Without options: up to 5 retries, after about 1, 2, 4, 8 and 16 seconds. This is faster.
const fetch = createFetch({ backoff: equalJitter({ baseMs: 100, capMs: 2_000 }) });

const response = await fetch(`http://127.0.0.1:${port}/`);

const attempts = attemptsOf(response);
console.log(
  `${response.status} after ${attempts.length} attempts: ${attempts.map(({ status }) => status).join(', ')}`,
);
server.close();
