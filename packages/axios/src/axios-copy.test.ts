import { createRequire } from 'node:module';
import type { PolicyOptions } from '@ebb/core';
import esmAxios, { type AxiosAdapter, type AxiosStatic } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { atOnce, errorOf } from '../test/client.ts';
import { adapterOf, recordedResponse } from './axios-copy.ts';
import { ebbInterceptor } from './index.ts';

const require = createRequire(import.meta.url);
const cjsAxios = require('axios') as AxiosStatic;

test('import and require load copies with separate classes', () => {
  expect(cjsAxios.AxiosError).not.toBe(esmAxios.AxiosError);
});

const copies: [name: string, axios: AxiosStatic][] = [
  ['import', esmAxios],
  ['require', cjsAxios],
];

/** That of `import` need not be passed. */
const givenOf = (axios: AxiosStatic) => (axios === esmAxios ? undefined : axios);

describe.each(copies)('an instance of the copy loaded by %s', (_, axios) => {
  const others = copies.map(([, copy]) => copy).filter((copy) => copy !== axios);

  /** Without ebb and with it: both must behave the same. */
  const both = (config: object, options: PolicyOptions = atOnce) => {
    const bare = axios.create(config);
    const wrapped = axios.create(config);
    wrapped.interceptors.request.use(ebbInterceptor(options, givenOf(axios)));
    return [bare, wrapped];
  };
  const classesOf = (error: unknown) =>
    [axios, ...others].map((copy) => [
      error instanceof copy.AxiosError,
      error instanceof copy.CanceledError,
      copy.isAxiosError(error),
      copy.isCancel(error),
    ]);
  const AXIOS_ERROR = [
    [true, false, true, false],
    [false, false, true, false],
  ];

  describe.each(['http', 'fetch', ['nothing', 'http', 'fetch'].slice(1)])('over %s', (adapter) => {
    test('an error with a response, and its headers', async () => {
      const server = await serve({ status: 503, headers: { a: 'b' } });
      for (const client of both({ adapter }, { ...atOnce, maxRetries: 1 })) {
        const error = await errorOf(client.get(server.url));
        expect(classesOf(error)).toEqual(AXIOS_ERROR);
        expect(error.response?.headers).toBeInstanceOf(axios.AxiosHeaders);
        expect(error.config?.headers).toBeInstanceOf(axios.AxiosHeaders);
        expect(error.response?.headers.a).toBe('b');
      }
      expect(server.seen).toHaveLength(3);
    });
  });

  test('an attempt beyond attemptTimeoutMs', async () => {
    const server = await serve('hang');
    const [, client] = both({}, { attemptTimeoutMs: 20, maxRetries: 0 });
    expect(classesOf(await errorOf(client?.get(server.url) as Promise<unknown>))).toEqual(AXIOS_ERROR);
  });
});

test('headers that no axios made belong to the module that was passed, or to this package’s copy', async () => {
  for (const given of [undefined, cjsAxios]) {
    const config = { url: 'http://127.0.0.1:1/', method: 'get', headers: {}, adapter: 'http' } as never;
    const { adapter } = ebbInterceptor({ maxRetries: 0 }, given)(config);
    const error = await errorOf((adapter as AxiosAdapter)(config));
    expect(error).toBeInstanceOf((given ?? esmAxios).AxiosError);
  }
});

test.each([
  [esmAxios.create(), 'something else'],
  [{}, 'something else'],
  [{ AxiosError: class {} }, 'something else'],
  [null, 'something else'],
  ['axios', 'something else'],
  [{ ...esmAxios, default: undefined, VERSION: '2.0.0' }, 'that of version 2.0.0, which is not 1'],
])('%o is not the axios module', (value, got) => {
  expect(() => ebbInterceptor({}, value as never)).toThrow(
    new TypeError(`ebbInterceptor: axios must be the axios module itself, got ${got}`),
  );
});

test('import * from axios is the axios module', async () => {
  const client = cjsAxios.create();
  client.interceptors.request.use(ebbInterceptor({ maxRetries: 0 }, await import('axios')));
  expect(await errorOf(client.get('http://127.0.0.1:1/'))).toBeInstanceOf(esmAxios.AxiosError);
});

describe('which layers may be below an adapter', () => {
  const configOf = (config: object) => ({ headers: new esmAxios.AxiosHeaders(), ...config }) as never;
  const own: AxiosAdapter = async () => ({}) as never;
  const polyfill = async () => new Response();

  test.each<[story: string, named: unknown, config: object, way: string]>([
    ['http', 'http', {}, 'socket'],
    ['http by its place', ['http', 'fetch'], {}, 'socket'],
    ['http with a transport of its own', 'http', { transport: {} }, 'converted'],
    ['the default', undefined, {}, 'socket'],
    ['fetch', 'fetch', {}, 'native-fetch'],
    ['fetch with an env that has none', 'fetch', { env: {} }, 'native-fetch'],
    ['fetch with another fetch', 'fetch', { env: { fetch: polyfill } }, 'converted'],
    ['a function', own, {}, 'converted'],
    ['a function in a list', [own], {}, 'converted'],
  ])('%s', (_, named, config, way) => {
    expect(adapterOf(undefined, named as never, configOf(config)).way).toBe(way);
  });

  test('that is a function stays, also in a list', () => {
    for (const named of [own, [own]]) {
      expect(adapterOf(undefined, named, configOf({})).adapter).toBe(own);
      expect(adapterOf(esmAxios, named, configOf({ headers: new cjsAxios.AxiosHeaders() })).adapter).toBe(
        own,
      );
    }
  });

  test('of the defaults of the copy that was passed', () => {
    const { getAdapter, AxiosHeaders } = esmAxios;
    const wayOf = (defaults?: object) =>
      adapterOf({ getAdapter, AxiosHeaders, defaults } as never, undefined, configOf({}));
    expect(wayOf({ adapter: own })).toEqual({ adapter: own, way: 'converted' });
    expect(wayOf().way).toBe('socket');
  });

  test('of axios itself gets headers of its own copy, and the config keeps those of the other', async () => {
    const server = await serve({ status: 200 });
    const headers = new cjsAxios.AxiosHeaders({ a: 'b' });
    const config = configOf({ url: server.url, method: 'get', headers, responseType: 'text' });
    const { adapter } = adapterOf(esmAxios, 'http', config);
    const sent = adapter(config);
    expect((config as { headers: unknown }).headers).toBe(headers);
    await sent;
    expect(server.seen.map((request) => request.headers.a)).toEqual(['b']);
  });
});

test.each([undefined, null, 'text', {}])('there is no record of a response to %j', (request) => {
  expect(recordedResponse(request)).toBeUndefined();
});
