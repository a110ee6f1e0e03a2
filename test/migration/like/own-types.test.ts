// Options that have the types of the other libraries are given to the functions of @ebb/compat as they are: the compiler judges.
import { ebbInterceptor } from '@ebb/axios';
import {
  likeAsyncRetry,
  likeAxiosRateLimit,
  likeAxiosRetry,
  likeBottleneck,
  likeFetchRetry,
  likeKy,
  likePRetry,
  likePThrottle,
  makeRetriable,
} from '@ebb/compat';
import { createFetch } from '@ebb/fetch';
import type { Options as AsyncRetryOptions } from 'async-retry';
import axios, { type AxiosInstance } from 'axios';
import type { rateLimitOptions } from 'axios-rate-limit';
import type { IAxiosRetryConfig } from 'axios-retry';
import type Bottleneck from 'bottleneck';
import type { RequestInitRetryParams } from 'fetch-retry';
import ky, { type KyInstance } from 'ky';
import type { Options as PRetryOptions } from 'p-retry';
import type { Options as PRetry4Options } from 'p-retry4';
import type { Options as PThrottleOptions } from 'p-throttle';
import { describe, expect, test } from 'vitest';

describe('options of another library', () => {
  test('axios-retry, but for validateResponse', () => {
    const options: Omit<IAxiosRetryConfig, 'validateResponse'> = { retries: 2, retryCondition: () => true };
    expect(likeAxiosRetry(options).maxRetries).toBe(2);
  });

  test('fetch-retry', () => {
    const options: RequestInitRetryParams<typeof fetch> = { retries: 2, retryOn: [503] };
    expect(likeFetchRetry(options).maxRetries).toBe(2);
  });

  test('p-retry', () => {
    const options: PRetryOptions = { retries: 2, onFailedAttempt: async () => undefined };
    expect(likePRetry(options).maxRetries).toBe(2);
    const retriable: (url: string) => Promise<Response> = makeRetriable(fetch, options);
    expect(retriable).toBeTypeOf('function');
  });

  test('p-retry 4', () => {
    const options: PRetry4Options = {
      retries: 2,
      onFailedAttempt: ({ attemptNumber }) => void attemptNumber,
    };
    expect(likePRetry(options).maxRetries).toBe(2);
  });

  test('async-retry', () => {
    const options: AsyncRetryOptions = { retries: 2, onRetry: (error) => void error };
    expect(likeAsyncRetry(options).maxRetries).toBe(2);
  });

  test('ky', () => {
    const client: KyInstance = likeKy(ky, createFetch).create({ retry: 2 });
    expect(client.get).toBeTypeOf('function');
  });

  test('bottleneck', () => {
    const options: Bottleneck.ConstructorOptions = { maxConcurrent: null, minTime: 5 };
    expect(likeBottleneck(options).policy.bucket).toBeDefined();
  });

  test('p-throttle', () => {
    const options: PThrottleOptions = { limit: 1, interval: 5 };
    const limited: (id: number) => Promise<number> = likePThrottle(options)(async (id: number) => id);
    expect(limited).toBeTypeOf('function');
  });

  test('axios-rate-limit', () => {
    const options: rateLimitOptions = { maxRPS: 5 };
    const client: AxiosInstance = likeAxiosRateLimit(axios.create(), options, ebbInterceptor);
    expect(client.get).toBeTypeOf('function');
  });
});
