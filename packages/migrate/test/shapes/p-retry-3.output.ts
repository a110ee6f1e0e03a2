import { type AttemptResult, type PolicyOptions, retry } from '@ebb/core';

// likePRetry 666c

// FailedAttempt 882a

// judgedBy 238d

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
    {
      ...likePRetry,
      maxRetries: 3,
      backoff: ({ retry, random }) => Math.min(30_000, 500 * 3 ** (retry - 1) * (1 + random())),
    }, { judge: judgedBy({ retries: 3, onFailedAttempt: (error) => {
        console.warn(`Attempt ${error.attemptNumber} failed. ${error.retriesLeft} retries left.`);
      } }) },
  );
}
