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

const fetch = createFetch(likeFetchRetry, globalThis.fetch);

export async function download() {
  const response = await fetch('https://api.example.com/file', {
    ebb: { maxRetries: 3, backoff: constant(1000) },
  });
  return response.text();
}
