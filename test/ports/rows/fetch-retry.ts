import { likeFetchRetry } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';
import fetchRetry from 'fetch-retry';
import type { Port } from '../port.ts';
import { URL_OF_ALL } from '../world.ts';

const POST = { method: 'POST', body: '{"amount":5}', headers: { 'content-type': 'application/json' } };

export const ROWS: readonly Port[] = [
  {
    shape: '`retries`, `retryDelay`',
    original: (world) => fetchRetry(world.fetch, { retries: 10, retryDelay: 1_000 })(URL_OF_ALL),
    ebb: (world) => createFetch(likeFetchRetry({ retries: 10, retryDelay: 1_000 }), world.fetch)(URL_OF_ALL),
  },
  {
    shape: '`retryOn` with statuses, a delay that doubles',
    original(world) {
      const retryDelay = (attempt: number): number => 2 ** attempt * 200;
      const client = fetchRetry(world.fetch, { retries: 3, retryOn: [500, 502, 503, 504], retryDelay });
      return client(URL_OF_ALL);
    },
    ebb(world) {
      const client = createFetch(
        {
          maxRetries: 3,
          backoff: ({ retry }) => 2 ** (retry - 1) * 200,
          feedback: false,
          classify: (outcome) => {
            if (outcome.type === 'failure') return outcome.kind === 'aborted' ? 'final' : 'transient';
            if ([500, 502, 503, 504].includes(outcome.status)) return 'transient';
            return outcome.status < 400 ? 'success' : 'final';
          },
        },
        world.fetch,
      );
      return client(URL_OF_ALL);
    },
  },
  {
    shape: 'a function as `retryOn`, which logs',
    original(world) {
      const client = fetchRetry(world.fetch, {
        retryOn(attempt, error, response) {
          if (error === null && (response?.status ?? 0) < 500) return false;
          world.log('retrying, attempt', attempt + 1);
          return attempt < 3;
        },
        retryDelay: (attempt) => (attempt + 1) * 500,
      });
      return client(URL_OF_ALL);
    },
    ebb(world) {
      const options = likeFetchRetry({
        retryOn(attempt, error, response) {
          if (error === null && (response?.status ?? 0) < 500) return false;
          world.log('retrying, attempt', attempt + 1);
          return attempt < 3;
        },
        retryDelay: (attempt) => (attempt + 1) * 500,
      });
      return createFetch(options, world.fetch)(URL_OF_ALL);
    },
  },
  {
    shape: 'options in `init`',
    original: (world) =>
      fetchRetry(world.fetch)(URL_OF_ALL, { retries: 5, retryDelay: 300, retryOn: [429, 503] }),
    ebb: (world) =>
      createFetch(likeFetchRetry(), world.fetch)(URL_OF_ALL, {
        ebb: likeFetchRetry({ retries: 5, retryDelay: 300, retryOn: [429, 503] }),
      }),
  },
  {
    shape: 'a POST with a body',
    original: (world) => fetchRetry(world.fetch, { retryOn: [503], retryDelay: 100 })(URL_OF_ALL, POST),
    ebb: (world) =>
      createFetch(likeFetchRetry({ retryOn: [503], retryDelay: 100 }), world.fetch)(URL_OF_ALL, POST),
  },
  {
    shape: 'a wait by `Retry-After`',
    original(world) {
      const client = fetchRetry(world.fetch, {
        retryOn: [429, 503],
        retryDelay: (_attempt, _error, response) => Number(response?.headers.get('retry-after') ?? 1) * 1_000,
      });
      return client(URL_OF_ALL);
    },
    ebb(world) {
      const options = {
        ...likeFetchRetry({ retryOn: [429, 503], retryDelay: 1_000 }),
        feedback: undefined,
      };
      return createFetch(options, world.fetch)(URL_OF_ALL);
    },
  },
  {
    shape: 'the signal of the caller',
    original: (world) =>
      fetchRetry(world.fetch, { retries: 2, retryOn: [503] })(URL_OF_ALL, { signal: world.signal }),
    ebb: (world) =>
      createFetch(likeFetchRetry({ retries: 2, retryOn: [503] }), world.fetch)(URL_OF_ALL, {
        signal: world.signal,
      }),
    differs: {
      because: 'an abort ends the call at once; fetch-retry waits and asks for its retries first',
      in: ['aborted in a request', 'aborted in a wait'],
    },
  },
];
