// One process of the fleet. It always has more to send than it may.
import { setTimeout as pause } from 'node:timers/promises';
import { createPolicy, type TokenBucket, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { valkeyBucket } from '@ebb/valkey';
import { Redis } from 'iovalkey';
import type { Order, Report, Task } from './main.ts';

const { url, storePort, refillPerSecond, capacity } = JSON.parse(process.argv[2] ?? '{}') as Task;

const report = (what: Report): unknown => process.send?.(what);
const own = tokenBucket({ refillPerSecond, capacity });
const client = new Redis({ port: storePort });
client.on('error', () => {}); // The bucket reports that the store is lost.
const shared = valkeyBucket({
  client,
  key: 'upstream',
  refillPerSecond,
  capacity,
  onStoreEvent: ({ type }) => report(type),
});

let bucket: TokenBucket | undefined;
let stopped = false;
process.on('message', (order: Order) => {
  bucket = order === 'own' ? own : order === 'shared' ? shared : undefined;
  stopped = order === 'end';
});
process.on('disconnect', () => process.exit());

async function keepSending(): Promise<void> {
  while (!stopped) {
    if (bucket === undefined) await pause(10);
    else
      await fetches
        .get(bucket)?.(url)
        .then((response) => response.arrayBuffer());
  }
}
const fetches = new Map(
  [own, shared].map((bucket) => [
    bucket as TokenBucket,
    createFetch(createPolicy({ bucket, maxRetries: 0 })),
  ]),
);
// Warm up: the first requests of a process are slow.
for (let times = 0; times < 10; times += 1) await (await fetch(url)).arrayBuffer();
report('ready');
await Promise.all(Array.from({ length: 6 }, keepSending));

await shared.close(); // Returns the leased tokens that were not spent.
client.disconnect();
process.disconnect();
