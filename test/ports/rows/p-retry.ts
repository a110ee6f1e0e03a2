import { likePRetry } from '@ebb/compat';
import { retry } from '@ebb/core';
import pRetry, { AbortError, makeRetriable } from 'p-retry';
import { load } from '../calls.ts';
import type { Port } from '../port.ts';
import { orThrow, URL_OF_ALL } from '../world.ts';

const isServers = (error: Error): boolean => !('status' in error) || Number(error.status) >= 500;

const BRIEF = { retries: 3, minTimeout: 0, maxTimeout: 0 };
const BOUNDED = { retries: 20, minTimeout: 250, maxRetryTime: 9_000 };

export const ROWS: readonly Port[] = [
  {
    shape: '`retries`, and an `AbortError` at a 404',
    original(world) {
      const run = async (): Promise<number> => {
        const response = await world.fetch(URL_OF_ALL);
        if (response.status === 404) throw new AbortError('not found');
        return orThrow(response).status;
      };
      return pRetry(run, { retries: 5 }).catch((error) => error.message);
    },
    ebb(world) {
      const run = async (): Promise<number> => {
        const response = await world.fetch(URL_OF_ALL);
        if (response.status === 404) throw Object.assign(new Error('not found'), { isFinal: true });
        return orThrow(response).status;
      };
      return retry(run, likePRetry({ retries: 5, shouldRetry: ({ error }) => !('isFinal' in error) })).catch(
        (error) => error.message,
      );
    },
  },
  {
    shape: 'all waits, `randomize`, `onFailedAttempt` that logs',
    original: (world) =>
      pRetry(load(world), {
        ...{ retries: 3, factor: 2, minTimeout: 500, maxTimeout: 30_000, randomize: true },
        onFailedAttempt: ({ attemptNumber, retriesLeft }) => world.log(attemptNumber, retriesLeft),
      }),
    ebb: (world) =>
      retry(
        load(world),
        likePRetry({
          ...{ retries: 3, factor: 2, minTimeout: 500, maxTimeout: 30_000, randomize: true },
          onFailedAttempt: ({ attemptNumber, retriesLeft }) => world.log(attemptNumber, retriesLeft),
        }),
      ),
  },
  {
    shape: 'no wait, in a test',
    original: (world) => pRetry(load(world), BRIEF),
    ebb: (world) => retry(load(world), likePRetry(BRIEF)),
  },
  {
    shape: 'axios, and the number of the attempt',
    original: (world) =>
      pRetry(
        (attempt) => {
          world.log('attempt', attempt);
          return world.axios(2_000).post(URL_OF_ALL, {});
        },
        { retries: 3 },
      ),
    ebb: (world) =>
      retry(
        ({ attempt }) => {
          world.log('attempt', attempt);
          return world.axios(2_000).post(URL_OF_ALL, {});
        },
        likePRetry({ retries: 3 }),
      ),
  },
  {
    shape: '`shouldRetry` by the status',
    original: (world) =>
      pRetry(load(world), { retries: 4, minTimeout: 200, shouldRetry: ({ error }) => isServers(error) }),
    ebb: (world) =>
      retry(load(world), {
        maxRetries: 4,
        backoff: ({ retry }) => 200 * 2 ** (retry - 1),
        feedback: false,
        classify: (outcome) => {
          if (outcome.type === 'failure') return outcome.kind === 'aborted' ? 'final' : 'transient';
          return outcome.status >= 500 ? 'transient' : 'final';
        },
      }),
  },
  {
    shape: '`signal`',
    original: (world) => pRetry(load(world), { retries: 5, signal: world.signal }),
    ebb: (world) => retry(load(world), likePRetry({ retries: 5 }), { signal: world.signal }),
    differs: {
      because: 'an abort ends the call at once; p-retry lets a function that does not take the signal go on',
      in: ['aborted in a request'],
    },
  },
  {
    shape: '`maxRetryTime`',
    original: (world) => pRetry(load(world), BOUNDED),
    ebb: (world) => retry(load(world), likePRetry(BOUNDED)),
  },
  {
    shape: '`makeRetriable` around a function',
    original: (world) => makeRetriable((url: string) => world.fetch(url), { retries: 2 })(URL_OF_ALL),
    ebb: (world) => {
      const get = (url: string): Promise<Response> =>
        retry(() => world.fetch(url), likePRetry({ retries: 2 }));
      return get(URL_OF_ALL);
    },
  },
  {
    shape: '`onFailedAttempt` that throws to stop',
    original: (world) =>
      pRetry(load(world), {
        retries: 3,
        onFailedAttempt({ error }) {
          if (!isServers(error)) throw error;
        },
      }),
    ebb: (world) =>
      retry(load(world), likePRetry({ retries: 3, shouldRetry: ({ error }) => isServers(error) })),
  },
];
