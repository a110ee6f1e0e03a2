import { likeFetchRetry } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';

const fetch = createFetch(likeFetchRetry(), globalThis.fetch);

export async function download() {
  const response = await fetch('https://api.example.com/file', {
    retries: 3,
    retryDelay: 1000,
  });
  return response.text();
}
