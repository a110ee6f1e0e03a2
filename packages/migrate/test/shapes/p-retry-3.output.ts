import { likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';

export async function callModel(prompt: string): Promise<string> {
  return retry(
    async ({ attempt }) => {
      const response = await fetch('https://api.example.com/complete', {
        method: 'POST',
        headers: { 'x-attempt': String(attempt) },
        body: prompt,
      });
      if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
      return response.text();
    },
    likePRetry({
      retries: 3,
      factor: 3,
      minTimeout: 500,
      maxTimeout: 30_000,
      randomize: true,
      onFailedAttempt: (error) => {
        console.warn(`Attempt ${error.attemptNumber} failed. ${error.retriesLeft} retries left.`);
      },
    }),
  );
}
