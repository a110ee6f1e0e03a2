// The cost of a request is known only afterwards, for instance with a language model: take an estimate and settle it.
// Prints the tokens that a bucket of 1,000 holds:
//   before: 1000
//   during the request: 500
//   after settling 120: 880
import { createPolicy, grantOf, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';

const clock = virtualClock();
const bucket = tokenBucket({ refillPerSecond: 10, capacity: 1_000, clock });
const tokens = () => Math.round(bucket.stats().tokens);
const fetch = createFetch(createPolicy({ bucket, clock, cost: 500 }), async () => {
  console.log(`during the request: ${tokens()}`);
  return Response.json({ usage: { total_tokens: 120 } });
});

console.log(`before: ${tokens()}`);
const response = await fetch('http://model.test/');
const { usage } = (await response.json()) as { usage: { total_tokens: number } };
grantOf(response)?.settle(usage.total_tokens);
console.log(`after settling ${usage.total_tokens}: ${tokens()}`);
