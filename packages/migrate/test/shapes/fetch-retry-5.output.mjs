import { constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

/** The error and the response of an outcome, as far as this program reads them. */
const settledBy = (outcome) => {
  if (outcome.type === 'failure') return [outcome.error, null];
  const { status } = outcome;
  const headers = { get: (name) => outcome.header(name.toLowerCase()) ?? null };
  return [null, { status, ok: status >= 200 && status < 300, headers }];
};

/** Decides as `retryOn` of fetch-retry does: by statuses, or by a function. */
const retriedOn =
  (retryOn) =>
  (outcome, _request, attempt) => {
    if (outcome.type === 'failure' && outcome.kind === 'aborted') return 'final';
    const [error, response] = settledBy(outcome);
    const isRetried =
      typeof retryOn === 'function'
        ? retryOn(attempt - 1, error, response)
        : response === null || retryOn.includes(response.status);
    if (isRetried) return 'transient';
    return response === null || response.status >= 400 ? 'final' : 'success';
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
