import originalFetch from 'isomorphic-fetch';
import { likeFetchRetry } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';

const fetch = createFetch(likeFetchRetry(), originalFetch);

export default (url) =>
  fetch(url, {
    retryOn: function (attempt, error, response) {
      // retry on any network error, or 4xx or 5xx status codes
      if (attempt < 3 && (error !== null || response.status >= 400)) {
        console.log(`retrying, attempt number ${attempt + 1}`);
        return true;
      }
      return false;
    },
  });
