import { attemptsOf } from '@ebb/core';
import axios, { type InternalAxiosRequestConfig } from 'axios';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { statuses } from '../test/adapters.ts';
import { atOnce, clientOf, errorOf, reasonsOf } from '../test/client.ts';
import { DOWN, UP } from '../test/steps.ts';

test.each([
  ['a name', 'http' as const, 'http'],
  ['a list', ['nothing', 'http', 'fetch'].slice(1) as 'http'[], ['http', 'fetch']],
  ['a list with a function', [statuses(503, 200)], undefined],
  ['the default', undefined, axios.defaults.adapter],
])('%s is resolved as in axios', async (_, adapter, expected) => {
  const server = await serve(DOWN, UP);
  const client = clientOf(adapter === undefined ? {} : { adapter });
  const { status, config } = await client.get(server.url);
  expect(status).toBe(200);
  expect(config.adapter).toEqual(expected ?? adapter);
});

test.each<[what: string, first: () => unknown, reasons: string[]]>([
  [
    'that throws at once',
    () => {
      throw new axios.AxiosError('reset', 'ECONNRESET');
    },
    ['transient', 'success'],
  ],
  ['that returns no promise', () => ({ status: 204 }), ['success']],
])('an adapter %s is as any other', async (_, first, reasons) => {
  const adapter = vi.fn(statuses(200)).mockImplementationOnce(first as never);
  expect(reasonsOf(await clientOf({ adapter }).get('/'))).toEqual(reasons);
});

test('a config without an adapter uses axios’s default', async () => {
  const server = await serve(DOWN, UP);
  const client = clientOf({});
  client.interceptors.request.use(({ adapter, ...config }) => config as InternalAxiosRequestConfig);
  const { config } = await client.get(server.url);
  expect([server.seen.length, 'adapter' in config]).toEqual([2, false]);
});

test('the config of a result can be sent again, and is retried as a new request', async () => {
  const adapter = statuses(503, 503, 503, 200, 503, 200);
  const client = clientOf({ adapter }, { ...atOnce, maxRetries: 1 });
  const error = await errorOf(client.put('http://upstream/', { a: 1 }));
  expect(adapter).toHaveBeenCalledTimes(2);
  expect(error.config?.adapter).toBe(adapter);
  expect(Object.getOwnPropertySymbols(error.config)).toEqual([]);
  const response = await client.request(error.config ?? {});
  expect([response.status, attemptsOf(response).length]).toEqual([200, 2]);
  const again = await client.request(response.config);
  expect([again.status, attemptsOf(again).length]).toEqual([200, 2]);
  expect(again.config.adapter).toBe(adapter);
  expect(again.config.data).toBe('{"a":1}');
});
