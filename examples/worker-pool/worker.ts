// A worker of the pool: sends its requests as fast as the quota of all workers allows.
import { parentPort, workerData } from 'node:worker_threads';
import { createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { valkeyBucket } from '@ebb/valkey';
import { Redis } from 'iovalkey';
import type { Result, Task } from './main.ts';

const { url, storeUrl, refillPerSecond, capacity, jobs } = workerData as Task;

// A client belongs to one thread. Every worker gives the same key, rate and capacity.
const client = new Redis(storeUrl);
client.on('error', (error) => console.error(`store: ${error.message}`));
// Without the store a worker goes on with its share of the rate. On a busy machine a slow call is no reason for that yet.
const bucket = valkeyBucket({ client, key: 'upstream', refillPerSecond, capacity, timeoutMs: 5_000 });

const fetch = createFetch(createPolicy({ bucket }));

const startedAtMs = performance.timeOrigin + performance.now();
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
parentPort?.postMessage({ sent, startedAtMs } satisfies Result);
