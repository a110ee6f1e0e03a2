import { attemptsOf } from '@ebb/core';
import axios, { type AxiosAdapter, type AxiosError } from 'axios';
import { describe, expect, test } from 'vitest';
import { responseTo, statuses } from '../test/adapters.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';

describe('the caller gets what the adapter returned', () => {
  test('the same response object, transformed', async () => {
    const response = { status: 200, statusText: 'OK', data: '{"a":1}', headers: {}, request: {} };
    const client = clientOf({ adapter: async (config) => Object.assign(response, { config }) });
    const result = await client.get('http://upstream/');
    expect(result).toBe(response);
    expect(result.data).toEqual({ a: 1 });
    expect(attemptsOf(result)).toMatchObject([{ attempt: 1, status: 200, reason: 'success' }]);
  });

  test('the same error object as the last attempt, with the config of the request', async () => {
    const errors: AxiosError[] = [];
    const adapter = statuses(503, 502, 500);
    const client = clientOf(
      {
        adapter: (config) => adapter(config).catch((error) => Promise.reject(errors[errors.push(error) - 1])),
      },
      { ...atOnce, maxRetries: 2 },
    );
    const error = await errorOf(client.get('http://upstream/', { headers: { a: 'b' } }));
    expect(error).toBe(errors[2]);
    expect(error.response?.status).toBe(500);
    expect(error.config?.headers.get('a')).toBe('b');
    expect(error.config).toBe(error.response?.config);
    expect(attemptsOf(error)).toMatchObject([503, 502, 500].map((status) => ({ status })));
    // The history is that of the error.
    expect(attemptsOf(error.response)).toEqual([]);
  });

  test('the error of an adapter that throws or resolves with nothing, as in axios', async () => {
    const thrown = new Error('broken');
    const throws = clientOf({
      adapter: (() => {
        throw thrown;
      }) as AxiosAdapter,
    });
    expect(await errorOf(throws.get('/'))).toBe(thrown);
    const nothing = clientOf({ adapter: async () => undefined as never });
    expect(await errorOf(nothing.get('/'))).toBeInstanceOf(TypeError);
  });
});

describe('validateStatus', () => {
  test.each([
    ['a validateStatus that accepts everything', () => true],
    ['no validateStatus', null],
  ])('%s does not hide a 503: it is retried, and the last response returned', async (_, validateStatus) => {
    const client = clientOf({ adapter: statuses(503, 503, 200), validateStatus });
    expect((await client.get('http://upstream/')).status).toBe(200);
    const down = clientOf({ adapter: statuses(503), validateStatus }, { ...atOnce, maxRetries: 1 });
    const last = await down.get('http://upstream/');
    expect([last.status, attemptsOf(last).length]).toEqual([503, 2]);
  });

  test('a 200 that validateStatus refuses rejects without a retry', async () => {
    const adapter = statuses(200);
    const error = await errorOf(clientOf({ adapter }).get('/', { validateStatus: () => false }));
    expect([error.response?.status, adapter.mock.calls.length]).toEqual([200, 1]);
  });
});

test('response headers of a custom adapter can be of any type', async () => {
  const given = [{ 'Retry-After': '7' }, new Headers({ 'retry-after': '7' }), { 'retry-after': ['7'] }];
  for (const headers of [...given, axios.AxiosHeaders.from({ 'RETRY-AFTER': '7' })]) {
    const adapter: AxiosAdapter = async (config) =>
      responseTo(config, { status: 429, headers: headers as never });
    const response = await clientOf({ adapter, validateStatus: null }, { retryAfter: { maxMs: 6_999 } }).get(
      '/',
    );
    expect(attemptsOf(response)).toMatchObject([{ reason: 'retry-after-too-long' }]);
  }
});
