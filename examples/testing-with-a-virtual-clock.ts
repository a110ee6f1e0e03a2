// A test with a virtual clock does not wait: half a minute of backoff passes at once. Prints when the attempts of a
// request that never succeeds are sent:
//   sent at 0, 1, 3, 7, 15 and 31 s; then 503
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';

const clock = virtualClock();
const sentAtMs: number[] = [];
const down: typeof fetch = async () => {
  sentAtMs.push(clock.elapsedMs);
  return new Response('down', { status: 503 });
};

// The default rule waits 1, 2, 4 … s plus up to 1 s of jitter. With this `random` the jitter is 0.
const client = createFetch({ clock, random: () => 0 }, down);

const { status } = await clock.runUntilSettled(client('http://upstream.example/'));

const times = new Intl.ListFormat('en-GB').format(sentAtMs.map((atMs) => String(atMs / 1_000)));
console.log(`sent at ${times} s; then ${status}`);
