import pRetry, { type Options } from 'p-retry';

const RETRY: Options = { retries: 2, minTimeout: 1000, maxTimeout: 1500 };

export async function connect(signal?: AbortSignal): Promise<number> {
  const response = await pRetry(() => fetch('https://api.example.com/connect', { signal: signal ?? null }), RETRY);
  return response.status;
}
