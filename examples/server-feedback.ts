// A 429 with Retry-After pauses the bucket for every request to its origin. The bucket reopens empty, so that the
// requests are spread out. Prints when three requests are sent if the first gets "Retry-After: 5":
//   1 at 0.0 s
//   1 at 5.1 s
//   2 at 5.2 s
//   3 at 5.3 s
import { createPolicy, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';

const clock = virtualClock();
const random = () => 0; // No jitter, so that the times are the same in each run.
const bucket = tokenBucket({ refillPerSecond: 10, capacity: 1, clock, random });
let answered = 0;
const server = async (url: unknown) => {
  console.log(`${new URL(String(url)).pathname.slice(1)} at ${(clock.elapsedMs / 1_000).toFixed(1)} s`);
  answered += 1;
  return answered > 1
    ? new Response('ok')
    : new Response('', { status: 429, headers: { 'retry-after': '5' } });
};
const fetch = createFetch(createPolicy({ bucket, clock, random }), server);

await clock.runUntilSettled(Promise.all([1, 2, 3].map((n) => fetch(`http://upstream.test/${n}`))));
