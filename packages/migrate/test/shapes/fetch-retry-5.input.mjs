import fetchRetry from 'fetch-retry';

const retrying = fetchRetry(fetch, {
  retryOn: (attempt, error, response) => attempt < 4 && (error !== null || !response.ok),
  retryDelay: (attempt) => 100 * 2 ** attempt,
});

export const get = async (path = '/') => {
  const response = await retrying(`https://api.example.com${path}`);
  return response.status;
};
