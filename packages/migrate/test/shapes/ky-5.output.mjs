import ky from 'ky';
import { likeKy } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';

const client = likeKy(ky, createFetch).extend({ headers: { accept: 'application/json' }, retry: 2 });

export async function update(id = 1) {
  const response = await client.put(`https://api.example.com/items/${id}`, {
    json: { done: true },
    retry: { limit: 1, statusCodes: [503] },
  });
  return response.status;
}
