// A service returns 409 while a lock is held, and a header of its own says whether a retry can help. The classifier
// reads that header and leaves everything else to the default. Prints:
//   POST /free: 409, 409, 201
//   POST /taken: 409
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attemptsOf, type Classify, classifyHttp, constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  if (request.url === '/taken') response.writeHead(409, { 'x-should-retry': 'false' }).end();
  else if (requests < 3) response.writeHead(409, { 'x-should-retry': 'true' }).end();
  else response.writeHead(201).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;

// 'refused': the server did nothing, so even a POST may be retried.
const classify: Classify = (outcome) =>
  outcome.type === 'response' && outcome.header('x-should-retry') === 'true'
    ? 'refused'
    : classifyHttp(outcome);

const fetch = createFetch({ classify, backoff: constant(50) });

for (const path of ['/free', '/taken']) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' });
  console.log(
    `POST ${path}: ${attemptsOf(response)
      .map(({ status }) => status)
      .join(', ')}`,
  );
}
server.close();
