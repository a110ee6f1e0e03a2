import { type Classify, classifyHttp, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import type { Port } from '../port.ts';
import { orThrow, URL_OF_ALL } from '../world.ts';

const CODES = [408, 413, 429, 500, 502, 503, 504, 521, 522, 524];

/** Retries lost connections, timeouts and these statuses, and a POST after none of them. */
const statuses =
  (list: readonly number[]): Classify =>
  (outcome) => {
    if (outcome.type === 'failure') return classifyHttp(outcome) === 'final' ? 'final' : 'transient';
    if (outcome.status < 400) return 'success';
    return list.includes(outcome.status) ? 'transient' : 'final';
  };

/** The defaults of got. */
const GOT: PolicyOptions = {
  maxRetries: 2,
  backoff: ({ retry, random }) => 1_000 * 2 ** (retry - 1) + random() * 100,
  classify: statuses(CODES),
};

export const ROWS: readonly Port[] = [
  {
    shape: 'no options',
    original: (world) => world.got()(URL_OF_ALL),
    ebb: async (world) => orThrow(await createFetch(GOT, world.fetch)(URL_OF_ALL)),
  },
  {
    shape: '`retry.limit`, `timeout.request`',
    original: (world) => world.got(10_000)(URL_OF_ALL, { retry: { limit: 3 } }),
    async ebb(world) {
      const client = createFetch({ ...GOT, maxRetries: 3, attemptTimeoutMs: 10_000 }, world.fetch);
      return orThrow(await client(URL_OF_ALL));
    },
  },
  {
    shape: 'a POST among the `methods`, a `calculateDelay` of its own',
    original: (world) =>
      world.got().post(URL_OF_ALL, {
        json: { amount: 5 },
        retry: {
          limit: 5,
          methods: ['GET', 'POST'],
          statusCodes: [408, 429, 500, 502, 503, 504],
          calculateDelay: ({ attemptCount, computedValue }) => computedValue && attemptCount * 1_000,
        },
      }),
    async ebb(world) {
      const client = createFetch(
        {
          maxRetries: 5,
          methods: ['GET', 'POST'],
          classify: statuses([408, 429, 500, 502, 503, 504]),
          backoff: ({ retry }) => retry * 1_000,
          feedback: false,
        },
        world.fetch,
      );
      return orThrow(await client(URL_OF_ALL, { method: 'POST', body: '{"amount":5}' }));
    },
  },
  {
    shape: 'a POST, which is sent once',
    original: (world) => world.got().post(URL_OF_ALL, { json: {} }),
    ebb: async (world) =>
      orThrow(await createFetch(GOT, world.fetch)(URL_OF_ALL, { method: 'POST', body: '{}' })),
  },
  {
    shape: '`throwHttpErrors: false`, `limit: 0`',
    original: (world) => world.got()(URL_OF_ALL, { throwHttpErrors: false, retry: { limit: 0 } }),
    ebb: (world) => createFetch({ maxRetries: 0 }, world.fetch)(URL_OF_ALL),
  },
  {
    shape: '`beforeRetry` that logs, in a client of its own',
    original(world) {
      const client = world.got().extend({
        retry: { limit: 4, backoffLimit: 3_000 },
        hooks: { beforeRetry: [(_error, count) => world.log('retry', count)] },
      });
      return client.get(URL_OF_ALL);
    },
    async ebb(world) {
      const client = createFetch(
        {
          ...GOT,
          maxRetries: 4,
          backoff: ({ retry, random }) => Math.min(1_000 * 2 ** (retry - 1), 3_000) + random() * 100,
          beforeAttempt: ({ attempt }) => {
            if (attempt > 1) world.log('retry', attempt - 1);
          },
        },
        world.fetch,
      );
      return orThrow(await client(URL_OF_ALL));
    },
  },
  {
    shape: '`calculateDelay` from the computed value, and a signal',
    original: (world) =>
      world.got()(URL_OF_ALL, {
        signal: world.signal,
        retry: { limit: 3, noise: 0, calculateDelay: ({ computedValue }) => computedValue * 4 },
      }),
    async ebb(world) {
      const client = createFetch(
        { ...GOT, maxRetries: 3, backoff: ({ retry }) => 4_000 * 2 ** (retry - 1) },
        world.fetch,
      );
      return orThrow(await client(URL_OF_ALL, { signal: world.signal }));
    },
    differs: {
      because: 'a `Retry-After` is waited for once, where the original waited four times as long',
      in: ['429 for 3 s, 200', '503 for 3 s, 429, 200'],
    },
  },
  {
    shape: '`maxRetryAfter`',
    original: (world) => world.got()(URL_OF_ALL, { retry: { limit: 2, maxRetryAfter: 2_000 } }),
    ebb: async (world) =>
      orThrow(await createFetch({ ...GOT, retryAfter: { maxMs: 2_000 } }, world.fetch)(URL_OF_ALL)),
  },
];
