// An undici dispatcher retries while the server is down. Prints:
//   200 after 3 attempts: 503, 503, 200
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attemptsOf, equalJitter } from '@ebb/core';
import { ebbInterceptor } from '@ebb/undici';
import { Agent, request } from 'undici';

let requests = 0;
const server = createServer((_, response) => {
  requests += 1;
  response.writeHead(requests < 3 ? 503 : 200).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;

// Without options: up to 5 retries, after about 1, 2, 4, 8 and 16 seconds. This is faster.
const dispatcher = new Agent().compose(
  ebbInterceptor({ backoff: equalJitter({ baseMs: 100, capMs: 2_000 }) }),
);

const response = await request(`http://127.0.0.1:${port}/`, { dispatcher });
await response.body.dump();

// undici creates the response object, so the history is in its context.
const attempts = attemptsOf(response.context);
const statuses = attempts.map(({ status }) => status).join(', ');
console.log(`${response.statusCode} after ${attempts.length} attempts: ${statuses}`);
await dispatcher.close();
server.close();
