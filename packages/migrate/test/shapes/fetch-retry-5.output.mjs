import { constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

/** Decides as `retryOn` of fetch-retry does: by statuses, or by a function. */
const retriedOn =
  (retryOn) =>
  (outcome, _request, attempt) => {
    const isFailure = outcome.type === 'failure';
    if (isFailure && outcome.kind === 'aborted') return 'final';
    const status = isFailure ? 0 : outcome.status;
    const headers = { get: (name) => (isFailure ? null : (outcome.header(name.toLowerCase()) ?? null)) };
    const response = isFailure ? null : { status, ok: status >= 200 && status < 300, headers };
    const isRetried =
      typeof retryOn === 'function'
        ? retryOn(attempt - 1, isFailure ? outcome.error : null, response)
        : isFailure || retryOn.includes(status);
    if (isRetried) return 'transient';
    return isFailure || status >= 400 ? 'final' : 'success';
  };

/** The defaults of fetch-retry. */
const likeFetchRetry = {
  maxRetries: 3,
  backoff: constant(1000),
  feedback: false,
  methods: 'all',
  classify: retriedOn([]),
};

const retrying = createFetch({
  ...likeFetchRetry,
  maxRetries: Number.MAX_SAFE_INTEGER,
  classify: retriedOn((attempt, error, response) => attempt < 4 && (error !== null || !response.ok)),
  backoff: ({ retry }) => 100 * 2 ** (retry - 1),
}, fetch);

export const get = async (path = '/') => {
  const response = await retrying(`https://api.example.com${path}`);
  return response.status;
};
