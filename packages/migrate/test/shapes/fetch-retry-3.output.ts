import { type Classify, constant, type Outcome, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

// SettledFetch b969

// settledBy 6c82

// retriedOn 5065

// likeFetchRetry cb11

const fetchWithRetry = createFetch({
  ...likeFetchRetry,
  maxRetries: 6,
  backoff: ({ retry }) => Math.pow(1.5, retry - 1) * 500,
  classify: retriedOn([429, 500, 502, 503]),
}, fetch);

export const createThing = async (name: string): Promise<number> => {
  const response = await fetchWithRetry('https://api.example.com/things', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return response.status;
};
