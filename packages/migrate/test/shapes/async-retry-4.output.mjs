import { likeAsyncRetry } from '@ebb/compat';
import { retry } from '@ebb/core';

export async function fetchWithRetry(path = '/') {
  let status = 0;
  await retry(
    async () => {
      const response = await fetch(`https://api.example.com${path}`);
      status = response.status;
      if (status >= 500) throw new Error(`server says ${status}`);
    },
    likeAsyncRetry({
      retries: 2,
      minTimeout: 2000,
      factor: 3,
      randomize: false,
      onRetry: (err, num) => {
        console.log(`retry count: ${num}: ${err.message}`);
      },
    }),
  );
  return status;
}
