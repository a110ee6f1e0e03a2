// At SIGTERM a program sends nothing more: `stopSignal` ends the calls that wait for tokens or for a retry. Those in flight
// get 5 s to end. Then it exits with 0. A second SIGTERM ends it at once. Prints:
//   ready
//   /slow: 200
//   /down: 503
//   /queued: not sent
//   /late: not sent
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { constant, createPolicy, type EbbEvent, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

const stop = new AbortController();
const server = createServer(async ({ url }, response) => {
  if (url === '/slow') await once(stop.signal, 'abort').then(() => pause(100));
  response.writeHead(url === '/slow' ? 200 : 503).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 2 });
const waits = Promise.withResolvers<void>();
const onEvent = ({ type }: EbbEvent) => type === 'retry' && waits.resolve();
const fetch = createFetch(
  createPolicy({ bucket, backoff: constant(60_000), stopSignal: stop.signal, onEvent }),
);

const calls = new Set<Promise<string>>();
function start(path: string): void {
  const call = fetch(origin + path)
    .then(async (response) => `${path}: ${response.status}${await response.text()}`)
    .catch(() => `${path}: not sent`)
    .finally(() => calls.delete(call));
  calls.add(call);
}

process.once('SIGTERM', async () => {
  stop.abort();
  start('/late');
  const drained = Promise.all(calls).then((results) => results.join('\n'));
  console.log(await Promise.race([drained, pause(5_000, 'gave up', { ref: false })]));
  process.exit(0);
});
for (const path of ['/slow', '/down', '/queued']) start(path);
await waits.promise; // `/down` waits for its retry.
console.log('ready');
if (process.argv[2] !== 'wait') process.kill(process.pid, 'SIGTERM');
