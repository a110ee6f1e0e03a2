// One process of a fleet: sends requests to the upstream as fast as the bucket grants tokens.
import { Agent, get } from 'node:http';
import { type Clock, NotSentError } from '@ebb/core';
import { systemClock } from '@ebb/core/bucket';
import { valkeyBucket } from '@ebb/valkey';
import { Redis } from 'iovalkey';
import type { WorkerReport, WorkerTask } from './fleet.ts';

const task = JSON.parse(process.argv[2] ?? '{}') as WorkerTask;

const startMs = systemClock.now();
/** A clock that is ahead, runs at another speed, and is set back now and then. */
const skewed: Clock = {
  now() {
    const ranMs = systemClock.now() - startMs;
    const backMs = Math.floor(ranMs / 700) * (task.stepBackMs ?? 0);
    return startMs + (task.skewMs ?? 0) + ranMs * (task.speed ?? 1) - backMs;
  },
  schedule: systemClock.schedule,
};

const report: WorkerReport = {
  granted: 0,
  refused: 0,
  failed: 0,
  longestWaitMs: 0,
  calls: 0,
  events: [],
  unhandled: 0,
};
process.on('unhandledRejection', () => {
  report.unhandled += 1;
});

const client = new Redis(task.storeUrl);
// Without a listener the client prints every failed connection.
client.on('error', () => {});
const bucket = valkeyBucket({
  client,
  key: task.key,
  refillPerSecond: task.rate,
  capacity: task.capacity,
  clock: skewed,
  onStoreError: task.onStoreError ?? 'local',
  onStoreEvent: ({ type }) => report.events.push(type),
});

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const send = (): Promise<void> =>
  new Promise((resolve, reject) => {
    get(task.upstreamUrl, { agent }, (response) => {
      response.resume();
      response.on('end', resolve);
    }).on('error', reject);
  });

let stopped = false;
async function keepAsking(): Promise<void> {
  const { maxWaitMs } = task;
  while (!stopped) {
    const askedMs = performance.now();
    try {
      await bucket.acquire({ maxWaitMs });
      report.granted += 1;
    } catch (error) {
      if (!(error instanceof NotSentError)) throw error;
      if (stopped) return;
      report.refused += 1;
    } finally {
      report.longestWaitMs = Math.max(report.longestWaitMs, performance.now() - askedMs);
    }
    await send().catch(() => {
      report.failed += 1;
    });
  }
}

process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
const askers = Array.from({ length: task.askers }, keepAsking);
await new Promise((resolve) => process.once('message', resolve));
stopped = true;
report.calls = bucket.stats().calls;
await bucket.close();
await Promise.all(askers);
client.disconnect();
agent.destroy();
process.send?.(report);
process.disconnect();
