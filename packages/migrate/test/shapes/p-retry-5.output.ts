import { likePRetry, type LikePRetryOptions } from '@ebb/compat';
import { retry } from '@ebb/core';

const RETRY: LikePRetryOptions = { retries: 2, minTimeout: 1000, maxTimeout: 1500 };

export async function connect(signal?: AbortSignal): Promise<number> {
  const response = await retry(() => fetch('https://api.example.com/connect', { signal: signal ?? null }), likePRetry(RETRY));
  return response.status;
}
