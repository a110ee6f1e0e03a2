import { type Classify, classifyHttp, fullJitter, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import ky from 'ky';
import type { Port } from '../port.ts';
import { orThrow, URL_OF_ALL } from '../world.ts';

/** Retries lost connections and these statuses, a POST after none of them, and no timeout. */
const statuses =
  (...list: number[]): Classify =>
  (outcome) => {
    if (outcome.type === 'failure')
      return outcome.kind === 'timeout' || classifyHttp(outcome) === 'final' ? 'final' : 'transient';
    if (outcome.status < 400) return 'success';
    return list.includes(outcome.status) ? 'transient' : 'final';
  };

/** The defaults of ky. */
const KY: PolicyOptions = {
  maxRetries: 2,
  backoff: ({ retry }) => 300 * 2 ** (retry - 1),
  classify: statuses(408, 413, 429, 500, 502, 503, 504),
  attemptTimeoutMs: 10_000,
};

export const ROWS: readonly Port[] = [
  {
    shape: 'no options',
    original: (world) => ky.get(URL_OF_ALL, { fetch: world.fetch }),
    ebb: async (world) => orThrow(await createFetch(KY, world.fetch)(URL_OF_ALL)),
  },
  {
    shape: 'a client with hooks, which stays',
    original(world) {
      const beforeRequest = [() => world.log('signed')];
      const options = { timeout: 15_000, retry: { limit: 3 }, hooks: { beforeRequest } };
      return ky.create({ ...options, fetch: world.fetch }).get(URL_OF_ALL);
    },
    ebb(world) {
      const beforeRequest = [() => world.log('signed')];
      const options = { retry: 0, timeout: false, hooks: { beforeRequest } } as const;
      const client = createFetch({ ...KY, maxRetries: 3, attemptTimeoutMs: 15_000 }, world.fetch);
      return ky.create({ ...options, fetch: client }).get(URL_OF_ALL);
    },
  },
  {
    shape: '`methods`, `statusCodes`',
    original: (world) =>
      ky.get(URL_OF_ALL, {
        fetch: world.fetch,
        retry: { limit: 3, methods: ['get'], statusCodes: [408, 429, 500, 503] },
      }),
    async ebb(world) {
      const options: PolicyOptions = { ...KY, maxRetries: 3, methods: ['GET'] };
      const client = createFetch({ ...options, classify: statuses(408, 429, 500, 503) }, world.fetch);
      return orThrow(await client(URL_OF_ALL));
    },
  },
  {
    shape: 'a POST among the `methods`, `backoffLimit`, no timeout',
    original: (world) =>
      ky.post(URL_OF_ALL, {
        fetch: world.fetch,
        json: { amount: 5 },
        timeout: false,
        retry: { limit: 5, methods: ['post'], backoffLimit: 1_000 },
      }),
    async ebb(world) {
      const { attemptTimeoutMs: _, ...options } = KY;
      const backoff: PolicyOptions['backoff'] = ({ retry }) => Math.min(1_000, 300 * 2 ** (retry - 1));
      const client = createFetch({ ...options, maxRetries: 5, methods: ['POST'], backoff }, world.fetch);
      return orThrow(await client(URL_OF_ALL, { method: 'POST', body: '{"amount":5}' }));
    },
  },
  {
    shape: '`jitter: true`',
    original: (world) => ky.get(URL_OF_ALL, { fetch: world.fetch, retry: { limit: 4, jitter: true } }),
    async ebb(world) {
      const options = { ...KY, maxRetries: 4, backoff: fullJitter({ baseMs: 300, capMs: 60_000 }) };
      return orThrow(await createFetch(options, world.fetch)(URL_OF_ALL));
    },
  },
  {
    shape: '`maxRetryAfter`',
    original: (world) => ky.get(URL_OF_ALL, { fetch: world.fetch, retry: { maxRetryAfter: 2_000 } }),
    async ebb(world) {
      const options: PolicyOptions = { ...KY, retryAfter: { maxMs: 2_000, then: 'cap' } };
      return orThrow(await createFetch(options, world.fetch)(URL_OF_ALL));
    },
  },
  {
    shape: '`retryOnTimeout`, and the signal of the caller',
    original: (world) =>
      ky.get(URL_OF_ALL, {
        fetch: world.fetch,
        signal: world.signal,
        timeout: 5_000,
        retry: { limit: 2, retryOnTimeout: true },
      }),
    async ebb(world) {
      const classify: Classify = (outcome, request, attempt) =>
        outcome.type === 'failure' && outcome.kind === 'timeout'
          ? 'transient'
          : (KY.classify as Classify)(outcome, request, attempt);
      const client = createFetch({ ...KY, classify, attemptTimeoutMs: 5_000 }, world.fetch);
      return orThrow(await client(URL_OF_ALL, { signal: world.signal }));
    },
  },
  {
    shape: '`throwHttpErrors: false`, with which no status is retried',
    original: (world) =>
      ky.get(URL_OF_ALL, {
        fetch: world.fetch,
        throwHttpErrors: false,
        retry: { limit: 3, delay: (count) => count * 500 },
      }),
    ebb(world) {
      const backoff: PolicyOptions['backoff'] = ({ retry }) => retry * 500;
      return createFetch({ ...KY, maxRetries: 3, backoff, classify: statuses() }, world.fetch)(URL_OF_ALL);
    },
  },
];
