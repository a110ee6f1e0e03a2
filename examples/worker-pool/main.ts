// Four worker threads share one quota. Each has a bucket of its own, and the tokens of all are in Valkey. This program starts
// a local valkey-server or redis-server; yours has the address of one. Prints:
//   4 workers sent 100, 100, 100 and 100 requests
//   at each moment the upstream had seen at most 40 + 200 per second: true
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { program, Store } from '../fleet/store.ts';

/** What a worker is given. */
export interface Task {
  readonly url: string;
  readonly storeUrl: string;
  readonly refillPerSecond: number;
  readonly capacity: number;
  readonly jobs: number;
}

/** What a worker sends at its end. */
export interface Result {
  readonly sent: number;
  /** When it asked for its first token, in milliseconds since the epoch. */
  readonly startedAtMs: number;
}

if (program === undefined) {
  console.log('This example needs valkey-server or redis-server, and finds neither.');
  console.log('Debian, Ubuntu: apt-get install redis-server    macOS: brew install valkey');
  process.exit(0);
}

const arrivedAtMs: number[] = [];
const server = createServer((_, response) => {
  arrivedAtMs.push(performance.timeOrigin + performance.now());
  response.end('done');
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const store = await Store.start();

const task: Task = {
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  storeUrl: `redis://127.0.0.1:${store.port}`,
  refillPerSecond: 200,
  capacity: 40,
  jobs: 100,
};
const workers = [1, 2, 3, 4].map(
  () => new Worker(new URL('worker.ts', import.meta.url), { workerData: task }),
);
const results = (await Promise.all(workers.map((worker) => once(worker, 'message')))).map(
  ([result]) => result as Result,
);

const sent = new Intl.ListFormat('en-GB').format(results.map(({ sent }) => `${sent}`));
console.log(`${workers.length} workers sent ${sent} requests`);
const startMs = Math.min(...results.map(({ startedAtMs }) => startedAtMs));
// The clocks of threads differ by less than a millisecond, which is less than one request.
const allowed = (atMs: number) => task.capacity + 1 + ((atMs - startMs) / 1_000) * task.refillPerSecond;
const held = arrivedAtMs.every((atMs, before) => before + 1 <= allowed(atMs));
const quota = `${task.capacity} + ${task.refillPerSecond} per second`;
console.log(`at each moment the upstream had seen at most ${quota}: ${held}`);
server.close();
await store.kill();
