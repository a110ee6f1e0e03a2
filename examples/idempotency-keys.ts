// A server carries out an order, and its connection breaks before the response. Without a key ebb does not send the POST
// again; with one the server recognises the second attempt. A key made from the order also covers a second call, such as
// that of a process that restarted. Prints:
//   no key: an error, 1 order
//   idempotencyKey: true: 201, 1 order
//   a key of the order, sent by two calls: 201 and 201, 1 order
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constant, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

const orders = new Set<string>();
let count = 0;
const server = createServer(({ headers }, response) => {
  count += 1;
  orders.add(`${headers['idempotency-key'] ?? count}`);
  if (count === 1) response.destroy();
  else response.writeHead(201).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`;
const result = (name: string, text: unknown) => {
  console.log(`${name}: ${text}, ${orders.size} order`);
  orders.clear();
  count = 0;
};
const order = { method: 'POST', body: '{"tea":1}' };
const policy = createPolicy({ backoff: constant(50) });

const bare = createFetch(policy);
result(
  'no key',
  await bare(url, order).then(
    ({ status }) => status,
    () => 'an error',
  ),
);

const keyed = createFetch({ ...policy, idempotencyKey: true });
result('idempotencyKey: true', (await keyed(url, order)).status);

const headers = { 'idempotency-key': 'order-4711' };
const calls = [await bare(url, { ...order, headers }), await bare(url, { ...order, headers })];
result('a key of the order, sent by two calls', calls.map(({ status }) => status).join(' and '));
server.close();
