// At SIGTERM a program takes no new calls, ends those that wait for tokens or for a retry, and gives those in flight 5 s to
// end. Then it exits with 0. A second SIGTERM ends it at once. Prints:
//   ready
//   /queued: not sent: closed
//   /down: not sent again: SIGTERM
//   /late: not sent: closed
//   /slow: 200
//   drained
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { constant, createPolicy, type EbbEvent, ThrottledError, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

const ready = Promise.withResolvers<void>();
const stop = new AbortController();
const server = createServer(async ({ url }, response) => {
  if (url === '/slow' && !stop.signal.aborted) await once(stop.signal, 'abort');
  await pause(url === '/slow' ? 100 : 0);
  response.writeHead(url === '/slow' ? 200 : 503).end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 2 });
const fetch = createFetch(createPolicy({ bucket, backoff: constant(60_000) }));
const calls = new Set<Promise<void>>();

/** A call that ends at the stop if it waits. One that was sent may be carried out, and its response is wanted. */
async function send(path: string): Promise<void> {
  const call = new AbortController();
  let isWaiting = true;
  const end = () => isWaiting && call.abort(stop.signal.reason);
  const onEvent = ({ type }: EbbEvent) => {
    isWaiting = type === 'retry';
    if (isWaiting && stop.signal.aborted) end();
    if (isWaiting) ready.resolve();
  };
  stop.signal.addEventListener('abort', end, { once: true });
  try {
    const response = await fetch(origin + path, { signal: call.signal, ebb: { onEvent } });
    await response.arrayBuffer();
    console.log(`${path}: ${response.status}`);
  } catch (error) {
    if (error instanceof ThrottledError) console.log(`${path}: not sent: ${error.reason}`);
    else console.log(`${path}: not sent again: ${error}`);
  } finally {
    stop.signal.removeEventListener('abort', end);
  }
}
function start(path: string): void {
  const call = send(path).finally(() => calls.delete(call));
  calls.add(call);
}

process.once('SIGTERM', async () => {
  await bucket.close();
  stop.abort('SIGTERM');
  start('/late');
  const drained = Promise.all(calls).then(() => 'drained');
  console.log(await Promise.race([drained, pause(5_000, 'gave up', { ref: false })]));
  process.exit(0);
});
for (const path of ['/slow', '/down', '/queued']) start(path);
await ready.promise; // `/down` waits for its retry.
console.log('ready');
if (process.argv[2] !== 'wait') process.kill(process.pid, 'SIGTERM');
