import { constant } from '@ebb/core';
import axios from 'axios';
import { expect, test } from 'vitest';
import { ebbInterceptor } from './index.ts';

test.each([
  ['at once', {}],
  ['with hooks', { onEvent: () => undefined }],
])(
  'params that are changed after the first attempt do not change the retry of a call sent %s',
  async (_, more) => {
    const params = new URLSearchParams('page=1');
    const sent: string[] = [];
    const client = axios.create({
      adapter: async (config) => {
        sent.push(axios.getUri(config));
        params.set('page', '2');
        const status = sent.length === 1 ? 503 : 200;
        return { status, statusText: '', headers: {}, data: '', config };
      },
    });
    client.interceptors.request.use(ebbInterceptor({ backoff: constant(0), ...more }));
    await client.get('https://a.test/', { params });
    expect(sent).toEqual(['https://a.test/?page=1', 'https://a.test/?page=1']);
  },
);
