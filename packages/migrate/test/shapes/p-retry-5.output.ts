import { type PolicyOptions, retry } from '@ebb/core';

// likePRetry 666c

const RETRY: PolicyOptions = { ...likePRetry, maxRetries: 2, backoff: ({ retry }) => Math.min(1500, 1000 * 2 ** (retry - 1)) };

export async function connect(signal?: AbortSignal): Promise<number> {
  const response = await retry(() => fetch('https://api.example.com/connect', { signal: signal ?? null }), RETRY);
  return response.status;
}
