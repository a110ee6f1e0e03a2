import ky from 'ky';
import { createFetch } from '@ebb/fetch';

/** Retries lost connections and these statuses, as ky does: a 413 if it says when. */
const retriedStatuses = (statuses) => (outcome) => {
  if (outcome.type === 'failure') return /^(connect|network)$/.test(outcome.kind) ? 'transient' : 'final';
  if (outcome.status < 400) return 'success';
  const isRetried = outcome.status !== 413 || outcome.header('retry-after') !== undefined;
  return isRetried && statuses.includes(outcome.status) ? 'transient' : 'final';
};

/** The retry defaults of ky. */
const likeKy = {
  maxRetries: 2,
  backoff: ({ retry }) => 300 * 2 ** (retry - 1),
  methods: ['GET', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'],
  classify: retriedStatuses([408, 413, 429, 500, 502, 503, 504]),
};

export const data = async () => {
  const json = await ky.get('https://api.example.com/data', { fetch: createFetch({ ...likeKy, attemptTimeoutMs: 10000, maxRetries: 5 }), retry: 0, timeout: false }).json();
  return json;
};
