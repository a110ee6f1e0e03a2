import { retry } from '@ebb/core';

// likeAsyncRetry 5e03

// judgedBy 5bbf

export async function fetchWithRetry(path = '/') {
  let status = 0;
  await retry(
    async () => {
      const response = await fetch(`https://api.example.com${path}`);
      status = response.status;
      if (status >= 500) throw new Error(`server says ${status}`);
    },
    {
      ...likeAsyncRetry,
      maxRetries: 2,
      backoff: ({ retry }) => 2000 * 3 ** (retry - 1),
    }, { judge: judgedBy({ retries: 2, onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => retriesLeft > 0 && ((err, num) => {
        console.log(`retry count: ${num}: ${err.message}`);
      })(error, attemptNumber) }) },
  );
  return status;
}
