import { concurrencyLimit, createPolicy, retry, tokenBucket } from '@ebb/core';

const limiter = createPolicy({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 1, refillPerSecond: 1000 / 333 }), concurrency: concurrencyLimit({ maxConcurrent: 1 }) });

export const all = (ids = [1, 2, 3, 4]) =>
  Promise.all(ids.map((id) => retry(() => fetch(`https://api.example.com/${id}`).then((r) => r.status), limiter)));
