import ky from 'ky';
import { createFetch } from '@ebb/fetch';

// retriedStatuses 3ed3

// likeKy b321

const client = ky.extend({ headers: { accept: 'application/json' }, fetch: createFetch({ ...likeKy, attemptTimeoutMs: 10000, maxRetries: 2 }), retry: 0, timeout: false });

export async function update(id = 1) {
  const response = await client.put(`https://api.example.com/items/${id}`, {
    json: { done: true },
    ebb: { maxRetries: 1, classify: retriedStatuses([503]) },
  });
  return response.status;
}
