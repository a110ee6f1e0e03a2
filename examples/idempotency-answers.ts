// A server takes 300 ms for an order, and the connection of the client breaks meanwhile. Then the order is deleted, and that
// answer is lost as well. Prints:
//   without the plugin: 409
//   with it: 201, a saved answer: true
//   deleted: 404, may have succeeded: true
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attemptsOf, constant } from '@ebb/core';
import { idempotencyAnswers, mayHaveSucceeded } from '@ebb/core/idempotency';
import { createFetch } from '@ebb/fetch';

const orders = new Map<string, { readonly doneAtMs: number }>();
const server = createServer(({ method, headers }, response) => {
  const key = `${headers['idempotency-key']}`;
  const { doneAtMs } = orders.get(key) ?? {};
  if (method === 'DELETE' && !orders.delete(key)) response.writeHead(404).end();
  else if (method === 'DELETE' || doneAtMs === undefined) response.destroy();
  else {
    const isDone = Date.now() > doneAtMs;
    response.writeHead(isDone ? 201 : 409, { 'idempotent-replayed': `${isDone}` }).end();
  }
  if (method === 'POST' && doneAtMs === undefined) orders.set(key, { doneAtMs: Date.now() + 300 });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`;
const order = (key: string) => ({ method: 'POST', body: '{"tea":1}', headers: { 'idempotency-key': key } });

const bare = createFetch({ backoff: constant(50) });
console.log(`without the plugin: ${(await bare(url, order('order-1'))).status}`);

const keyed = createFetch({ backoff: constant(50), plugins: [idempotencyAnswers({ waitMs: 500 })] });
const response = await keyed(url, order('order-2'));
console.log(`with it: ${response.status}, a saved answer: ${attemptsOf(response).at(-1)?.replayed}`);
const deleted = await keyed(url, { ...order('order-2'), method: 'DELETE' });
console.log(`deleted: ${deleted.status}, may have succeeded: ${mayHaveSucceeded(deleted)}`);
server.close();
