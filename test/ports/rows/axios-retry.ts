import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';
import { detailsOf, type PolicyOptions } from '@ebb/core';
import type { AxiosError, AxiosInstance } from 'axios';
import axiosRetry, { type IAxiosRetryConfig } from 'axios-retry';
import type { Port } from '../port.ts';
import { URL_OF_ALL, type World } from '../world.ts';

/** A client with axios-retry. */
function retrying(world: World, options: IAxiosRetryConfig, timeout?: number): AxiosInstance {
  const client = world.axios(timeout);
  axiosRetry(client, options);
  return client;
}

/** A client with ebb. */
function withEbb(world: World, options: PolicyOptions, timeout?: number): AxiosInstance {
  const client = world.axios(timeout);
  client.interceptors.request.use(ebbInterceptor(options));
  return client;
}

const isBusy = (error: AxiosError): boolean => [404, 500, 503].includes(error.response?.status ?? 0);

export const ROWS: readonly Port[] = [
  {
    shape: '`retries: 3` alone',
    original: (world) => retrying(world, { retries: 3 }).get(URL_OF_ALL),
    ebb: (world) => withEbb(world, likeAxiosRetry({ retries: 3 })).get(URL_OF_ALL),
  },
  {
    shape: '`exponentialDelay`, with a timeout of the client',
    original: (world) => retrying(world, { retryDelay: axiosRetry.exponentialDelay }, 8_000).get(URL_OF_ALL),
    ebb: (world) =>
      withEbb(world, likeAxiosRetry({ retryDelay: likeAxiosRetry.exponentialDelay }), 8_000).get(URL_OF_ALL),
  },
  {
    shape: 'a condition of three statuses, a linear delay, `onRetry` that logs',
    original: (world) =>
      retrying(world, {
        retries: 3,
        retryDelay: (count) => count * 250,
        retryCondition: isBusy,
        onRetry: (count) => world.log('retry', count),
      }).get(URL_OF_ALL),
    ebb: (world) =>
      withEbb(world, {
        maxRetries: 3,
        backoff: ({ retry }) => retry * 250,
        feedback: false,
        classify(outcome) {
          if (outcome.type === 'failure') return 'final';
          if ([404, 500, 503].includes(outcome.status)) return 'transient';
          return outcome.status < 400 ? 'success' : 'final';
        },
        onEvent: (event) => event.type === 'retry' && world.log('retry', event.attempt),
      }).get(URL_OF_ALL),
  },
  {
    shape: 'a helper or a 429, for a POST',
    original: (world) =>
      retrying(world, {
        retries: 5,
        retryDelay: axiosRetry.exponentialDelay,
        retryCondition: (error) =>
          axiosRetry.isNetworkOrIdempotentRequestError(error) || error.response?.status === 429,
      }).post(URL_OF_ALL, { amount: 5 }),
    ebb(world) {
      const options = likeAxiosRetry({
        retries: 5,
        retryDelay: likeAxiosRetry.exponentialDelay,
        retryCondition: (error: AxiosError) =>
          likeAxiosRetry.isNetworkOrIdempotentRequestError(error) || error.response?.status === 429,
      });
      return withEbb(world, options).post(URL_OF_ALL, { amount: 5 });
    },
  },
  {
    shape: '`shouldResetTimeout`, and a condition that retries timeouts',
    original(world) {
      const options: IAxiosRetryConfig = {
        shouldResetTimeout: true,
        retryDelay: axiosRetry.linearDelay(500),
        retryCondition: (error) => axiosRetry.isRetryableError(error) || error.code === 'ECONNABORTED',
      };
      return retrying(world, options, 4_000).get(URL_OF_ALL);
    },
    ebb(world) {
      const options = likeAxiosRetry({
        shouldResetTimeout: true,
        retryDelay: likeAxiosRetry.linearDelay(500),
        retryCondition: (error) => likeAxiosRetry.isRetryableError(error) || error.code === 'ECONNABORTED',
      });
      return withEbb(world, options, 4_000).get(URL_OF_ALL);
    },
  },
  {
    shape: 'options of one request in `axios-retry`',
    original: (world) =>
      retrying(world, { retries: 1 }).get(URL_OF_ALL, {
        'axios-retry': { retries: 4, retryDelay: () => 1_000 },
      }),
    ebb: (world) =>
      withEbb(world, likeAxiosRetry({ retries: 1 })).get(URL_OF_ALL, {
        ebb: likeAxiosRetry({ retries: 4, retryDelay: () => 1_000 }),
      }),
  },
  {
    shape: '`onRetry`, `onMaxRetryTimesExceeded`, and the signal of the caller',
    original: (world) =>
      retrying(world, {
        retries: 2,
        retryDelay: axiosRetry.exponentialDelay,
        onRetry: (count) => world.log('retry', count),
        onMaxRetryTimesExceeded: (error) => world.log('gives up:', error.message),
      }).get(URL_OF_ALL, { signal: world.signal }),
    ebb(world) {
      const options = likeAxiosRetry({
        retries: 2,
        retryDelay: likeAxiosRetry.exponentialDelay,
        onRetry: (count) => world.log('retry', count),
        onMaxRetryTimesExceeded: (error) => world.log('gives up:', error.message),
      });
      return withEbb(world, options).get(URL_OF_ALL, { signal: world.signal });
    },
    differs: {
      because: 'after an abort no hook is called; axios-retry goes on to call them, and sends nothing',
      in: ['aborted in a request', 'aborted in a wait'],
    },
  },
  {
    shape: 'a wait with jitter of its own, for a client that accepts every status',
    original: (world) =>
      retrying(world, {
        retries: 5,
        retryDelay: (count) => 2 ** count * 100 * (1 + Math.random() / 10),
        onRetry: (count, { message }) => world.log(count, message),
      }).get(URL_OF_ALL, { validateStatus: () => true }),
    ebb: (world) =>
      withEbb(world, {
        ...likeAxiosRetry({ retries: 5 }),
        backoff: ({ retry, random }) => 2 ** retry * 100 * (1 + random() / 10),
        onEvent(event) {
          const { outcome } = detailsOf(event as never) ?? {};
          if (event.type === 'retry' && outcome?.type === 'failure')
            world.log(event.attempt, (outcome.error as Error).message);
        },
      }).get(URL_OF_ALL, { validateStatus: () => true }),
  },
];
