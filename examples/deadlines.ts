// Three services in a chain, the last of which is down. Prints how often that is asked for one request, and whether it knows how long
// the first client waits:
//   each service retries: 64 times, knows the deadline: false
//   the first client alone does: 4 times, knows the deadline: true
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constant } from '@ebb/core';
import { deadline, remainingFrom } from '@ebb/core/deadlines';
import { createFetch } from '@ebb/fetch';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const fetch = createFetch({ backoff: constant(0), maxRetries: 3, plugins: [deadline()] });

async function ask(isShared: boolean): Promise<string> {
  const leftMs: number[] = [];
  let url = await serve((request, response) => {
    leftMs.push(remainingFrom(request, { mostMs: 60_000 }).totalTimeoutMs);
    response.writeHead(503).end();
  });
  for (let hops = 0; hops < 2; hops += 1) {
    const next = url;
    url = await serve(async (request, response) => {
      const ebb = isShared ? remainingFrom(request, { mostMs: 60_000 }) : {};
      response.writeHead((await fetch(next, { ebb })).status).end();
    });
  }
  await fetch(url, { ebb: { totalTimeoutMs: 5_000 } });
  return `${leftMs.length} times, knows the deadline: ${leftMs.every((ms) => ms <= 5_000)}`;
}

console.log(`each service retries: ${await ask(false)}`);
console.log(`the first client alone does: ${await ask(true)}`);
