import { likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';
import asyncRetry from 'async-retry';
import { load } from '../calls.ts';
import type { Port } from '../port.ts';
import { orThrow, URL_OF_ALL } from '../world.ts';

const isClients = (error: Error): boolean => {
  const { status = 0 } = error as { status?: number };
  return status >= 400 && status < 500;
};

const SLOW = { retries: 5, factor: 3, minTimeout: 1_000, maxTimeout: 60_000, randomize: true };
const BOUNDED = { retries: 20, minTimeout: 500, randomize: false, maxRetryTime: 9_000 };

export const ROWS: readonly Port[] = [
  {
    shape: 'no options, around axios',
    original: (world) => asyncRetry(async () => world.axios(30_000).get(URL_OF_ALL)),
    ebb: (world) => retry(() => world.axios(30_000).get(URL_OF_ALL), likePRetry({ randomize: true })),
  },
  {
    shape: '`bail` at a 4xx, `onRetry` that logs',
    original: (world) =>
      asyncRetry(
        async (bail) => {
          try {
            return await load(world)();
          } catch (error) {
            if (!isClients(error as Error)) throw error;
            bail(error as Error);
            return undefined;
          }
        },
        {
          ...{ retries: 3, minTimeout: 1_000, maxTimeout: 5_000, randomize: false },
          onRetry: (error, attempt) => world.log(attempt, (error as Error).message),
        },
      ),
    ebb: (world) =>
      retry(
        load(world),
        likePRetry({
          ...{ retries: 3, minTimeout: 1_000, maxTimeout: 5_000 },
          onFailedAttempt: ({ error, attemptNumber, retriesLeft }) =>
            retriesLeft > 0 && !isClients(error) && world.log(attemptNumber, error.message),
          shouldRetry: ({ error }) => !isClients(error),
        }),
      ),
  },
  {
    shape: 'five retries, three times as long each',
    original: (world) => asyncRetry(load(world), SLOW),
    ebb: (world) => retry(load(world), likePRetry(SLOW)),
  },
  {
    shape: 'a timeout for each attempt, by an `AbortController`',
    original: (world) =>
      asyncRetry(
        async () => {
          const controller = new AbortController();
          const timer = setTimeout(() => controller.abort(new DOMException('late', 'TimeoutError')), 3_000);
          try {
            return orThrow(await world.fetch(URL_OF_ALL, { signal: controller.signal }));
          } finally {
            clearTimeout(timer);
          }
        },
        { retries: 2, randomize: false },
      ),
    ebb: (world) =>
      retry(async ({ signal }) => orThrow(await world.fetch(URL_OF_ALL, { signal })), {
        ...likePRetry({ retries: 2 }),
        attemptTimeoutMs: 3_000,
      }),
  },
  {
    shape: '`maxRetryTime`',
    original: (world) => asyncRetry(load(world), BOUNDED),
    ebb(world) {
      const startMs = Date.now();
      const options = { maxRetries: 20, backoff: ({ retry }: { retry: number }) => 500 * 2 ** (retry - 1) };
      return retry(
        load(world),
        { ...options, feedback: false },
        {
          judge({ type }) {
            if (type === 'value') return 'success';
            return Date.now() - startMs < 9_000 ? 'transient' : 'final';
          },
        },
      );
    },
  },
  {
    shape: '`retries: 0`, from a setting',
    original: (world) => asyncRetry(load(world), { retries: 0 }),
    ebb: (world) => retry(load(world), { maxRetries: 0 }),
  },
];
