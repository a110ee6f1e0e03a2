// An adaptive bucket that starts at too high a rate finds the rate that the server accepts. Prints how many of 200
// requests are refused at 100 per second, by a server that accepts 40 per second:
//   a fixed rate: more than half
//   an adaptive one: less than a fifth
import { adaptive, createPolicy, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';

for (const [name, make] of [
  ['a fixed rate', tokenBucket],
  ['an adaptive one', adaptive],
] as const) {
  const clock = virtualClock();
  const quota = tokenBucket({ refillPerSecond: 40, capacity: 4, clock });
  const server = async () => new Response(null, { status: quota.tryAcquire() ? 200 : 429 });
  const bucket = make({ refillPerSecond: 100, capacity: 4, clock });
  const fetch = createFetch(createPolicy({ bucket, clock, maxRetries: 0 }), server);

  const requests = Array.from({ length: 200 }, () => fetch('http://upstream.test/'));
  const responses = await clock.runUntilSettled(Promise.all(requests));
  const refused = responses.filter(({ status }) => status === 429).length;
  const share = refused > 100 ? 'more than half' : refused < 40 ? 'less than a fifth' : `${refused}`;
  console.log(`${name}: ${share}`);
}
