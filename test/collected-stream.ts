// Sends a request, drops its response unread, and prints what becomes of its tokens and its slot. Run with --expose-gc.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { concurrencyLimit, inspectBody } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { costFromResponse } from '@ebb/providers';
import { ownBucket } from '../packages/core/test/own.ts';
import { until } from './until.ts';

const server = createServer((_, response) => {
  // Longer than what is read ahead.
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': x\n'.repeat(100_000));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

let settled: unknown;
const bucket = ownBucket({
  tryAcquire: () => ({
    cost: 100,
    waitedMs: 0,
    grantedAtMs: 0,
    conforming: true,
    settle(actual: unknown) {
      settled = actual;
    },
  }),
  acquire: () => Promise.reject(new Error('it never waits')),
});
const concurrency = concurrencyLimit({ maxConcurrent: 1 });
const inspect = inspectBody(() => undefined);
const actualCost = costFromResponse(() => undefined);
const fetch = createFetch({ bucket, concurrency, inspect, actualCost });

await (async () => void (await fetch(`http://127.0.0.1:${port}/`)))();
await until(() => {
  globalThis.gc?.();
  return settled !== undefined && concurrency.stats().inUse === 0;
});
console.log(`settled ${settled}, slots in use ${concurrency.stats().inUse}`);
process.exit();
