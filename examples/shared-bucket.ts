// A service accepts 4 requests at once and 4 per second from the whole program. One bucket in one policy keeps three
// clients within that. It is smaller than the quota, because the network can bunch requests. Prints how many of 12
// requests are refused, without any retry:
//   without ebb: most
//   with ebb: none
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { createPolicy, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';

let quota = tokenBucket({ capacity: 4, refillPerSecond: 4 });
const server = createServer((_, response) => response.writeHead(quota.tryAcquire() ? 200 : 429).end());
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const policy = createPolicy({ maxRetries: 0, bucket: tokenBucket({ capacity: 2, refillPerSecond: 4 }) });
const fetch = createFetch(policy);
axios.interceptors.request.use(ebbAxios(policy));
const dispatcher = new Agent().compose(ebbUndici(policy));

for (const ebb of [false, {}] as const) {
  quota = tokenBucket({ capacity: 4, refillPerSecond: 4 });
  const sent = Array.from({ length: 4 }, () => [
    fetch(url, { ebb }).then(({ status }) => status),
    axios.get(url, { ebb, validateStatus: () => true }).then(({ status }) => status),
    request(url, { ebb, dispatcher }).then(({ statusCode, body }) => body.dump().then(() => statusCode)),
  ]);
  const refused = (await Promise.all(sent.flat())).filter((status) => status === 429).length;
  const share = refused === 0 ? 'none' : refused > 6 ? 'most' : refused;
  console.log(`${ebb === false ? 'without' : 'with'} ebb: ${share}`);
}
server.close();
await dispatcher.close();
