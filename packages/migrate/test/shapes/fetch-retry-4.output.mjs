import originalFetch from 'isomorphic-fetch';
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

const fetch = createFetch(likeFetchRetry, originalFetch);

export default (url) =>
  fetch(url, {
    ebb: { maxRetries: Number.MAX_SAFE_INTEGER, classify: retriedOn(function (attempt, error, response) {
      // retry on any network error, or 4xx or 5xx status codes
      if (attempt < 3 && (error !== null || response.status >= 400)) {
        console.log(`retrying, attempt number ${attempt + 1}`);
        return true;
      }
      return false;
    }) },
  });
