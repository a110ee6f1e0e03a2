import { constant, retry } from '@ebb/core';

// likePRetry a2f2

export async function poll(signal) {
  const response = await retry(
    async () => {
      const res = await fetch('https://api.example.com/job/1');
      const { state } = await res.json();
      if (state !== 'done') throw new Error('not done yet');
      return state;
    },
    { ...likePRetry, maxRetries: 4, backoff: constant(2000), totalTimeoutMs: 60000 }, { signal },
  );
  return response;
}
