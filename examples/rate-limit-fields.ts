// A server serves 20 requests a minute of each tenant, and 30 of both, and tells that with its answers alone. Two tenants send 50
// requests each. Prints what the server gets:
//   without a bucket: 30 served of 100, 70 refused
//   policyBucket: 30 served of 30, 0 refused
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { policyBucket } from '@ebb/core/quotas';
import { createFetch } from '@ebb/fetch';

let [used, sent]: [Record<string, number>, number] = [{}, 0];
const server = createServer(({ headers }, response) => {
  const tenant = `${headers['x-tenant']}`;
  const { [tenant]: own = 0, all = 0 } = used;
  const isServed = own < 20 && all < 30;
  sent += 1;
  if (isServed) used = { ...used, [tenant]: own + 1, all: all + 1 };
  const left = { own: 20 - (used[tenant] ?? 0), all: 30 - (used.all ?? 0) };
  response.setHeader('ratelimit-policy', '"tenant";q=20;w=60, "all";q=30;w=60');
  response.setHeader(
    'ratelimit',
    `"tenant";r=${left.own};t=60;pk=:${btoa(tenant)}:, "all";r=${left.all};t=60`,
  );
  response.writeHead(isServed ? 200 : 429).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
async function sendAll(name: string, fetch: ReturnType<typeof createFetch>): Promise<void> {
  [used, sent] = [{}, 0];
  const tenants = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? 'one' : 'two'));
  await Promise.allSettled(tenants.map((tenant) => fetch(url, { headers: { 'x-tenant': tenant } })));
  console.log(`${name}: ${used.all} served of ${sent}, ${sent - (used.all ?? 0)} refused`);
}
await sendAll('without a bucket', createFetch({ maxRetries: 0 }));
const bucket = policyBucket({ keyOf: (request) => request.header('x-tenant') ?? '', maxWaitMs: 1_000 });
await sendAll('policyBucket', createFetch({ bucket, maxRetries: 0 }));
server.close();
