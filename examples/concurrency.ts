// At most two requests run at once, each until its body has ended. Prints how many of ten simultaneous requests the
// server handles at the same time:
//   without a limit: 10
//   with maxConcurrent 2: 2
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { concurrencyLimit, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

let underWay = 0;
let most = 0;
/** The server ends its responses when it has started this many. */
let together = 10;
const ends: (() => void)[] = [];
const server = createServer((_, response) => {
  underWay += 1;
  most = Math.max(most, underWay);
  response.on('close', () => {
    underWay -= 1;
  });
  response.write('the first half, ');
  if (ends.push(() => response.end('the second')) >= together) for (const end of ends.splice(0)) end();
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

async function sendTen(fetch: ReturnType<typeof createFetch>): Promise<number> {
  most = 0;
  await Promise.all(Array.from({ length: 10 }, async () => (await fetch(url)).text()));
  return most;
}

console.log(`without a limit: ${await sendTen(createFetch())}`);
together = 2;
const policy = createPolicy({ concurrency: concurrencyLimit({ maxConcurrent: 2 }) });
console.log(`with maxConcurrent 2: ${await sendTen(createFetch(policy))}`);
server.close();
server.closeAllConnections();
