import { likeFetchRetry } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';

const retrying = createFetch(likeFetchRetry({
  retryOn: (attempt, error, response) => attempt < 4 && (error !== null || !response.ok),
  retryDelay: (attempt) => 100 * 2 ** attempt,
}), fetch);

export const get = async (path = '/') => {
  const response = await retrying(`https://api.example.com${path}`);
  return response.status;
};
