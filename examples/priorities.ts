// Requests that wait for tokens are sent by priority. Prints the order in which requests reach the server if the
// bucket holds one token:
//   first
//   urgent
//   usual
//   whenever
import { createPolicy, priorityQueue, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';

const seen: string[] = [];
const server = async (url: unknown) => {
  seen.push(new URL(String(url)).pathname.slice(1));
  return new Response('ok');
};
const clock = virtualClock();
const bucket = tokenBucket({ refillPerSecond: 50, capacity: 1, queue: priorityQueue(), clock });
const fetch = createFetch(createPolicy({ bucket, clock }), server);

const requests = [
  fetch('http://upstream.test/first'),
  fetch('http://upstream.test/whenever', { ebb: { priority: -1 } }),
  fetch('http://upstream.test/usual'),
  fetch('http://upstream.test/urgent', { ebb: { priority: 1, maxWaitMs: 1_000 } }),
];
await clock.runUntilSettled(Promise.all(requests));
for (const path of seen) console.log(path);
