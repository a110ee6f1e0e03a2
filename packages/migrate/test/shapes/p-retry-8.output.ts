import { likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';

export interface RetryOptions {
  readonly retries?: number;
  readonly minTimeout?: number;
}

export const defaults: RetryOptions = { retries: 3, minTimeout: 250 };

export async function withRetry<T>(fn: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  return retry(fn, likePRetry({ ...defaults, ...options }));
}
