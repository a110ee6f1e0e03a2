import ky from 'ky';
import { createFetch } from '@ebb/fetch';

// retriedStatuses 3ed3

// likeKy b321

export const data = async () => {
  const json = await ky.get('https://api.example.com/data', { fetch: createFetch({ ...likeKy, attemptTimeoutMs: 10000, maxRetries: 5 }), retry: 0, timeout: false }).json();
  return json;
};
