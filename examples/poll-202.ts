// A POST starts a job, and its 202 says where to look. Only the GET of that place is repeated: the POST would start a
// second job. `Retry-After` says how long to wait, and `totalTimeoutMs` how long in all. Prints:
//   POST /jobs: 202
//   GET /jobs/7: 202, 202, 202, 200 after 6 s: {"made":"tea"}
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attemptsOf, constant, createPolicy, inspectBody } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';

let looks = 0;
const server = createServer(({ method }, response) => {
  looks += method === 'GET' ? 1 : 0;
  if (looks > 3) response.end('{"made":"tea"}');
  else response.writeHead(202, { location: '/jobs/7', 'retry-after': '2' }).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jobs`;
const clock = virtualClock(); // A program of yours leaves this out.
const policy = createPolicy({ clock, random: () => 0 });

const inspect = inspectBody(({ status }) => (status === 202 ? { verdict: 'transient' } : undefined));
const polling = { inspect, maxRetries: 1_000, backoff: constant(1_000), totalTimeoutMs: 600_000 };
const fetch = createFetch(policy);

const submitted = await clock.runUntilSettled(fetch(url, { method: 'POST', body: 'tea' }));
console.log(`POST /jobs: ${submitted.status}`);
const place = new URL(submitted.headers.get('location') ?? '', url);
const done = await clock.runUntilSettled(fetch(place, { ebb: polling }));
const statuses = attemptsOf(done).map(({ status }) => status);
console.log(
  `GET ${place.pathname}: ${statuses.join(', ')} after ${clock.elapsedMs / 1_000} s: ${await done.text()}`,
);
server.close();
