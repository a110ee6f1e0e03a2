// A program with a progress bar makes 10,000 calls at no more than 4,000 per second, with 50 at a time. The bar is on stderr
// and only on a terminal, the result is on stdout. `cli-progress-bar.ts 500 100` makes 500 calls at 100 per second. Prints:
//   10000 calls, 10000 succeeded
//   at each moment the server had seen at most 800 + 4000 per second: true
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPolicy, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { SingleBar } from 'cli-progress';

const [count = 10_000, refillPerSecond = 4_000] = process.argv.slice(2).map(Number);
const bucket = tokenBucket({ refillPerSecond });
const { capacity } = bucket.stats();
const startMs = performance.now();
let seen = 0;
let held = true;
const server = createServer((_, response) => {
  seen += 1;
  held &&= seen <= capacity + ((performance.now() - startMs) / 1_000) * refillPerSecond;
  response.end('ok');
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const fetch = createFetch(createPolicy({ bucket }));
const bar = new SingleBar({ format: '{bar} {value}/{total}, {eta_formatted} left', stopOnComplete: true });
bar.start(count, 0);
const ids = Array.from({ length: count }, (_, id) => id).values();
let succeeded = 0;
// 50 loops take from one iterator: 10,000 calls at once would each hold memory while they wait.
async function work(): Promise<void> {
  for (const id of ids) {
    const response = await fetch(`${url}${id}`);
    await response.arrayBuffer();
    succeeded += Number(response.ok);
    bar.increment();
  }
}
await Promise.all(Array.from({ length: 50 }, work));
console.log(`${count} calls, ${succeeded} succeeded`);
console.log(
  `at each moment the server had seen at most ${capacity} + ${refillPerSecond} per second: ${held}`,
);
server.close();
