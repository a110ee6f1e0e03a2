import ky from 'ky';

const client = ky.extend({ headers: { accept: 'application/json' }, retry: 2 });

export async function update(id = 1) {
  const response = await client.put(`https://api.example.com/items/${id}`, {
    json: { done: true },
    retry: { limit: 1, statusCodes: [503] },
  });
  return response.status;
}
