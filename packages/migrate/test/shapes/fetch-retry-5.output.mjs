import { constant } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

// settledBy efe3

// retriedOn 6a6a

// likeFetchRetry f0ee

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
