// A worker of the pool: sends its requests as fast as the quota of all workers allows.
import { parentPort, workerData } from 'node:worker_threads';
import { createPolicy, type EbbEvent } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { valkeyBucket } from '@ebb/valkey';
import { Redis } from 'iovalkey';
import type { Result, Task } from './main.ts';

const { url, storeUrl, refillPerSecond, capacity, jobs } = workerData as Task;

// A client belongs to one thread. Every worker gives the same key, rate and capacity.
const client = new Redis(storeUrl);
client.on('error', (error) => console.error(`store: ${error.message}`));
const bucket = valkeyBucket({ client, key: 'upstream', refillPerSecond, capacity });

let firstAtMs = Number.POSITIVE_INFINITY;
const onEvent = ({ type, atMs }: EbbEvent): void => {
  if (type === 'attempt') firstAtMs = Math.min(firstAtMs, atMs);
};
const fetch = createFetch(createPolicy({ bucket, onEvent }));

let sent = 0;
async function work(): Promise<void> {
  while (sent < jobs) {
    sent += 1;
    await (await fetch(url)).arrayBuffer();
  }
}
await Promise.all(Array.from({ length: 10 }, work));

await bucket.close(); // Returns the leased tokens that were not spent, for the other workers.
client.disconnect();
parentPort?.postMessage({ sent, firstAtMs } satisfies Result);
