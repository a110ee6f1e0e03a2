import axios, { type AxiosAdapter, type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { statuses } from '../test/adapters.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';
import { DOWN } from '../test/steps.ts';
import { ebbInterceptor } from './index.ts';

const UP: Step = { status: 200, body: '{"up":true}', headers: { 'content-type': 'application/json' } };

describe('one call with several attempts', () => {
  test('runs interceptors and transforms once', async () => {
    const server = await serve(DOWN, DOWN, UP);
    const calls: string[] = [];
    const note =
      (name: string) =>
      <T>(value: T): T => {
        calls.push(name);
        return value;
      };
    const client = axios.create({
      transformRequest: [(data) => calls.push('transformRequest') && JSON.stringify(data)],
      transformResponse: [(data) => calls.push('transformResponse') && JSON.parse(data)],
    });
    client.interceptors.request.use(note('request 1'));
    client.interceptors.request.use(ebbInterceptor(atOnce));
    client.interceptors.request.use(note('request 2'));
    client.interceptors.response.use(note('response'));
    const { data } = await client.put('path', { a: 1 }, { baseURL: server.url, params: { q: '1 2' } });
    expect(data).toEqual({ up: true });
    expect(calls).toEqual(['request 2', 'request 1', 'transformRequest', 'transformResponse', 'response']);
    for (const request of server.seen) {
      expect([request.path, request.body]).toEqual(['/path?q=1+2', '{"a":1}']);
      expect(request.headers).toEqual(server.seen[0]?.headers);
    }
    expect(server.seen).toHaveLength(3);
  });

  test('starts each attempt with the headers of the request, without those that the adapter wrote', async () => {
    const seen: unknown[] = [];
    const adapter = statuses(503, 503, 200);
    const writing: AxiosAdapter = (config) => {
      seen.push({ ...config.headers });
      config.headers.set('signature', `of attempt ${seen.length}`);
      return adapter(config);
    };
    const client = clientOf({ adapter: writing }, { ...atOnce, methods: 'all' });
    const { config } = await client.post('http://upstream/', 'text', { headers: { a: 'b' } });
    expect(seen).toEqual([seen[0], seen[0], seen[0]]);
    expect(seen[0]).toMatchObject({ a: 'b' });
    expect(config.headers.get('signature')).toBe('of attempt 3');
    expect(config.headers).toBeInstanceOf(axios.AxiosHeaders);
  });
});

describe('several ebb interceptors', () => {
  const seven = { ...atOnce, maxRetries: 7 };
  const two = { ...atOnce, maxRetries: 2 };

  test('on one instance: the one that axios runs first retries', async () => {
    const adapter = statuses(503);
    const client = clientOf({ adapter }, seven);
    client.interceptors.request.use(ebbInterceptor(two));
    await errorOf(client.get('/'));
    expect(adapter).toHaveBeenCalledTimes(3);
  });
});

describe('ebbInterceptor can be added', () => {
  test('with runWhen, and has a name', async () => {
    expect(ebbInterceptor().name).toBe('ebb');
    const adapter = statuses(503);
    const client = axios.create({ adapter });
    const runWhen = ({ url }: InternalAxiosRequestConfig) => url === '/yes';
    client.interceptors.request.use(ebbInterceptor({ ...atOnce, maxRetries: 1 }), null, { runWhen });
    await errorOf(client.get('/no'));
    expect(adapter).toHaveBeenCalledTimes(1);
    await errorOf(client.get('/yes'));
    expect(adapter).toHaveBeenCalledTimes(3);
  });
});

describe('used as a response interceptor', () => {
  const refusal = new TypeError(
    'ebbInterceptor: use it as a request interceptor: axios.interceptors.request.use(ebbInterceptor(policy))',
  );
  const responses = (status: number) => axios.create({ adapter: statuses(status) });

  test.each([
    [
      'a response',
      200,
      (client: AxiosInstance) => client.interceptors.response.use(ebbInterceptor() as never),
    ],
    [
      'an error',
      404,
      (client: AxiosInstance) => client.interceptors.response.use(null, ebbInterceptor() as never),
    ],
  ])('%s rejects with a TypeError that says how to use it', async (_, status, use) => {
    const client = responses(status);
    use(client);
    expect(await errorOf(client.get('http://upstream/'))).toEqual(refusal);
  });

  test.each([
    { url: '/', method: 'get', status: 200, config: {} },
    { method: 'get', status: 200, config: {} },
    { url: '/', status: 200, config: {} },
    { status: 200, data: {} },
    { config: {} },
    {},
  ])('the config %o is not refused', (config) => {
    expect(ebbInterceptor()(config as never)).toBe(config);
  });
});
