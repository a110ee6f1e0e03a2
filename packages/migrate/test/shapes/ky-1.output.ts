import ky from 'ky';
import type { Classify, PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

// retriedStatuses 9f25

// likeKy 088b

export const http = ky.create({
  baseUrl: 'https://api.example.com',
  credentials: 'include',
  fetch: createFetch({ ...likeKy, attemptTimeoutMs: 15_000, maxRetries: 3 }), retry: 0,
  timeout: false,
  hooks: {
    beforeRequest: [({ request }) => request.headers.set('x-api-key', 'k')],
  },
});

export const me = async (): Promise<string> => http.get('me').text();
