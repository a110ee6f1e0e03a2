import ky from 'ky';
import { likeKy } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';

export const http = likeKy(ky, createFetch).create({
  baseUrl: 'https://api.example.com',
  credentials: 'include',
  retry: { limit: 3 },
  timeout: 15_000,
  hooks: {
    beforeRequest: [({ request }) => request.headers.set('x-api-key', 'k')],
  },
});

export const me = async (): Promise<string> => http.get('me').text();
