import { type LikeFetch, likeFetchRetry } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';

const fetchWithRetry = createFetch(likeFetchRetry({
  retries: 6,
  retryDelay: (attempt) => Math.pow(1.5, attempt) * 500,
  retryOn: [429, 500, 502, 503],
}), fetch) as LikeFetch;

export const createThing = async (name: string): Promise<number> => {
  const response = await fetchWithRetry('https://api.example.com/things', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return response.status;
};
