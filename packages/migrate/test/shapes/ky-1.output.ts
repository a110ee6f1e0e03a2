import ky from 'ky';
import type { Classify, PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

/** Retries lost connections and these statuses, as ky does: a 413 if it says when. */
const retriedStatuses = (statuses: readonly number[]): Classify => (outcome) => {
  if (outcome.type === 'failure') return /^(connect|network)$/.test(outcome.kind) ? 'transient' : 'final';
  if (outcome.status < 400) return 'success';
  const isRetried = outcome.status !== 413 || outcome.header('retry-after') !== undefined;
  return isRetried && statuses.includes(outcome.status) ? 'transient' : 'final';
};

/** The retry defaults of ky. */
const likeKy: PolicyOptions = {
  maxRetries: 2,
  backoff: ({ retry }) => 300 * 2 ** (retry - 1),
  methods: ['GET', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'],
  classify: retriedStatuses([408, 413, 429, 500, 502, 503, 504]),
};

export const http = ky.create({
  baseUrl: 'https://api.example.com',
  credentials: 'include',
  fetch: createFetch({ ...likeKy, attemptTimeoutMs: 15_000, maxRetries: 3 }), retry: 0,
  timeout: false,
  hooks: {
    beforeRequest: [({ request }) => request.headers.set('x-api-key', 'k')],
  },
});

export const me = async (): Promise<string> => http.get('me').text();
