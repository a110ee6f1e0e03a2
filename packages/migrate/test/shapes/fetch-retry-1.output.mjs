import { constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

// settledBy efe3

// retriedOn 6a6a

// likeFetchRetry f0ee

const fetch = createFetch(likeFetchRetry, globalThis.fetch);

export async function download() {
  const response = await fetch('https://api.example.com/file', {
    ebb: { maxRetries: 3, backoff: constant(1000) },
  });
  return response.text();
}
