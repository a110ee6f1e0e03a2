import { type PolicyOptions, retry, type Settled } from '@ebb/core';

/** The defaults of p-retry: after any error but a mistake in the program the function is called again. */
const likePRetry: PolicyOptions = {
  maxRetries: 10,
  backoff: ({ retry }) => 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response') return outcome.status === 0 ? 'success' : 'transient';
    return outcome.kind === 'unknown' && outcome.error instanceof TypeError ? 'final' : 'transient';
  },
};

type FailedAttempt = { error: Error; attemptNumber: number; retriesLeft: number };

/** Judges an error by functions that p-retry called. */
const judgedBy =
  ({ retries = 10, onFailedAttempt, shouldRetry }: {
    retries?: number;
    onFailedAttempt?: (context: FailedAttempt) => unknown;
    shouldRetry?: (context: FailedAttempt) => boolean;
  }) =>
  (settled: Settled<unknown>, attempt: number) => {
    if (settled.type === 'value') return 'success';
    const error = settled.error as Error;
    const context = { error, attemptNumber: attempt, retriesLeft: retries + 1 - attempt };
    onFailedAttempt?.(context);
    return context.retriesLeft > 0 && shouldRetry?.(context) === false ? 'final' : undefined;
  };

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
