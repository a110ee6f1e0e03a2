import axios, {
  AxiosError,
  AxiosHeaders,
  type AxiosRequestConfig,
  type InternalAxiosRequestConfig,
} from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { deduplicate } from './deduplicate.ts';
import { ebbInterceptor } from './index.ts';

const url = 'http://upstream.invalid/';

/** Two calls in flight at the same time, over an adapter that settles with this data and status. */
async function two(configs: readonly AxiosRequestConfig[], data: unknown = 'text', status = 200) {
  const adapter = vi.fn(async (config: InternalAxiosRequestConfig) => {
    const headers = new AxiosHeaders({ a: 'b' });
    const response = { status, statusText: 'said', headers, config, data, request: {} };
    if (status < 400) return response;
    throw new AxiosError('no', AxiosError.ERR_BAD_RESPONSE, config, {}, response);
  });
  const client = axios.create({ adapter, transformResponse: [] });
  client.interceptors.request.use(ebbInterceptor({ middleware: [deduplicate()], maxRetries: 0 }));
  const settled = await Promise.allSettled(configs.map((config) => client.request({ url, ...config })));
  const got = settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
  return { adapter, got };
}

test.each<[story: string, configs: readonly [AxiosRequestConfig, AxiosRequestConfig], sends: number]>([
  ['GETs', [{}, { method: 'get' }], 1],
  ['HEADs', [{ method: 'HEAD' }, { method: 'HEAD' }], 1],
  ['a method that begins so', [{ method: 'GETS' }, { method: 'GETS' }] as never, 2],
  ['a method that ends so', [{ method: 'WIDGET' }, { method: 'WIDGET' }] as never, 2],
  ['POSTs', [{ method: 'post' }, { method: 'post' }], 2],
  ['data of null', [{ data: null }, {}], 1],
  ['data', [{ data: 'a' }, { data: 'a' }], 2],
  [
    'headers in another order and case',
    [{ headers: { a: '1', B: '2' } }, { headers: { b: '2', A: '1' } }],
    1,
  ],
  ['another header', [{ headers: { a: '1' } }, { headers: { a: '2' } }], 2],
  ['a header that is not sent', [{ headers: { a: null } }, {}], 1],
  ['a header that is undefined', [{ headers: { a: undefined } as never }, {}], 1],
  ['one that axios is not to set', [{ headers: { a: false } as never }, {}], 1],
  ['parts of the same URL', [{ url, params: { a: 1 } }, { url: `${url}?a=1` }], 1],
  ['another URL', [{ params: { a: 1 } }, {}], 2],
  ['bytes', [{ responseType: 'arraybuffer' }, { responseType: 'arraybuffer' }], 1],
  ['streams', [{ responseType: 'stream' }, { responseType: 'stream' }], 2],
  ['another timeout', [{ timeout: 1 }, { timeout: 2 }], 2],
])('%s', async (_, configs, sends) => {
  const { adapter } = await two(configs);
  expect(adapter).toHaveBeenCalledTimes(sends);
});

describe('each call has a response of its own', () => {
  test.each<[story: string, data: unknown, sends: number]>([
    ['text', 'text', 1],
    ['null', null, 1],
    ['an ArrayBuffer', new ArrayBuffer(2), 1],
    ['a Buffer', Buffer.from('text'), 1],
    ['an object of an adapter', { a: 1 }, 2],
  ])('with %s', async (_, data, sends) => {
    const { adapter, got } = await two([{}, {}], data);
    expect(got.map((response) => response.data)).toEqual([data, data]);
    expect(adapter).toHaveBeenCalledTimes(sends);
    const [one, other] = got;
    if (data instanceof Object && sends === 1) expect(one.data).not.toBe(other.data);
    expect(one.headers).not.toBe(other.headers);
    expect(other.headers).toBeInstanceOf(AxiosHeaders);
    expect(other.headers.get('a')).toBe('b');
    expect(one.config).not.toBe(other.config);
    expect(one.config.signal).toBeUndefined();
  });

  test('with JSON, which is parsed for each', async () => {
    const transformResponse = (text: string): unknown => JSON.parse(text);
    const { adapter, got } = await two([{ transformResponse }, { transformResponse }], '{"a":1}');
    const [one, other] = got;
    expect([adapter.mock.calls.length, one.data, other.data]).toEqual([1, { a: 1 }, { a: 1 }]);
    expect(one.data).not.toBe(other.data);
  });

  test('or an error', async () => {
    const { adapter, got } = await two([{}, {}], 'down', 503);
    expect(adapter).toHaveBeenCalledTimes(1);
    const [one, other] = got as AxiosError[];
    expect([one?.response?.data, other?.response?.data]).toEqual(['down', 'down']);
    for (const error of [one, other]) {
      expect(axios.isAxiosError(error)).toBe(true);
      expect(error?.response?.config).toBe(error?.config);
      for (const name of ['config', 'response']) {
        const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(error, name) ?? {};
        expect({ writable, enumerable, configurable }).toEqual({
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      expect(Object.getOwnPropertyDescriptor(error, 'stack')).toMatchObject({
        ...{ writable: true, enumerable: false, configurable: true },
      });
      expect(error?.stack).toContain('no');
    }
    expect(one).not.toBe(other);
    expect(one?.config).not.toBe(other?.config);
  });
});
