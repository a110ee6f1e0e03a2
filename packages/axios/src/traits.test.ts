import { detailsOf, type EbbEvent, tokenBucket } from '@ebb/core';
import axios from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { statuses } from '../test/adapters.ts';
import { atOnce, clientOf } from '../test/client.ts';
import { DOWN, UP } from '../test/steps.ts';

describe('what a policy can ask about a request', () => {
  const traitsOf = async (config: Parameters<typeof axios.request>[0]) => {
    const events: EbbEvent[] = [];
    await clientOf({ adapter: statuses(200) }, { onEvent: (event) => events.push(event) }).request(config);
    expect(events.map((event) => event.type)).toEqual(['attempt', 'end']);
    expect(events[1]?.request).toBe(events[0]?.request);
    return events[0] && detailsOf(events[0])?.request;
  };

  test('the method in upper case, the URL with baseURL and params, the headers', async () => {
    const request = await traitsOf({
      method: 'pAtCh',
      baseURL: 'http://upstream/v1/',
      url: 'things',
      params: { a: [1, 2], b: 'ü' },
      headers: { 'Idempotency-Key': 'k', list: ['a', 'b'], off: false },
    });
    expect(request?.method).toBe('PATCH');
    expect(request?.url).toBe('http://upstream/v1/things?a%5B%5D=1&a%5B%5D=2&b=%C3%BC');
    const headers = ['idempotency-key', 'list', 'off', 'none'].map((name) => request?.header(name));
    expect(headers).toEqual(['k', 'a, b', undefined, undefined]);
  });

  test('the URL, without the defaults of axios itself', async () => {
    axios.defaults.baseURL = 'http://elsewhere/';
    try {
      expect((await traitsOf({ url: 'http://upstream/' }))?.url).toBe('http://upstream/');
      expect((await traitsOf({ baseURL: '', url: '/path' }))?.url).toBe('/path');
    } finally {
      delete axios.defaults.baseURL;
    }
  });
});

test('headers given as an iterator are sent with each attempt', async () => {
  const server = await serve(DOWN, UP);
  const seen: unknown[] = [];
  const client = clientOf(
    {},
    {
      ...atOnce,
      cost: (request) => {
        seen.push(request.header('authorization'));
        return 1;
      },
      bucket: tokenBucket({ refillPerSecond: 1_000 }),
    },
  );
  await client.get(server.url, { headers: new Map([['Authorization', 'me']]).entries() as never });
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['me', 'me']);
  expect(seen).toEqual(['me', 'me']);
});
