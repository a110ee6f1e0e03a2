import originalFetch from 'isomorphic-fetch';
import { constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

// settledBy efe3

// retriedOn 6a6a

// likeFetchRetry f0ee

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
