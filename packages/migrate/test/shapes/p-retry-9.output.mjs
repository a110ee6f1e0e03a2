import { likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';

export async function poll(signal) {
  const response = await retry(
    async () => {
      const res = await fetch('https://api.example.com/job/1');
      const { state } = await res.json();
      if (state !== 'done') throw new Error('not done yet');
      return state;
    },
    likePRetry({ retries: 4, minTimeout: 2000, factor: 1, maxRetryTime: 60000, signal }),
  );
  return response;
}
