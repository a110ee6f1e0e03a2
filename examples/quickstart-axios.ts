// axios retries while the server is down. Prints:
//   {"tea":"ready"} after 3 attempts: 503, 503, 200
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor } from '@ebb/axios';
import { attemptsOf, equalJitter } from '@ebb/core';
import axios from 'axios';

let requests = 0;
const server = createServer((_, response) => {
  requests += 1;
  response.writeHead(requests < 3 ? 503 : 200, { 'content-type': 'application/json' }).end('{"tea":"ready"}');
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;

// Without options: up to 5 retries, after about 1, 2, 4, 8 and 16 seconds. This is faster.
axios.interceptors.request.use(ebbInterceptor({ backoff: equalJitter({ baseMs: 100, capMs: 2_000 }) }));

const response = await axios.get(`http://127.0.0.1:${port}/`);

const attempts = attemptsOf(response);
const statuses = attempts.map(({ status }) => status).join(', ');
console.log(`${JSON.stringify(response.data)} after ${attempts.length} attempts: ${statuses}`);
server.close();
