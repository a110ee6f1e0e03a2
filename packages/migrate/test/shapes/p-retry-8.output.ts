import pRetry from 'p-retry';

export interface RetryOptions {
  readonly retries?: number;
  readonly minTimeout?: number;
}

export const defaults: RetryOptions = { retries: 3, minTimeout: 250 };

export async function withRetry<T>(fn: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  // TODO(ebb): p-retry stays here: other files may use its options, defaults
  return pRetry(fn, { ...defaults, ...options });
}
