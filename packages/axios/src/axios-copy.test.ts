import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { attemptsOf, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import esmAxios, { type AxiosAdapter, type AxiosRequestConfig, type AxiosStatic } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { refusingPort } from '../../../test/refusing.ts';
import { serve } from '../../../test/serve.ts';
import { atOnce, errorOf } from '../test/client.ts';
import { type AxiosModule, ebbInterceptor } from './index.ts';

const require = createRequire(import.meta.url);
const cjsAxios = require('axios') as AxiosStatic;

/** A third copy that neither `import` nor `require` has loaded, as a bundler makes it. */
function bundledAxios(): AxiosStatic {
  const path = require.resolve('axios');
  const module = { exports: {} as AxiosStatic };
  const load = new Function('module', 'exports', 'require', readFileSync(path, 'utf8'));
  load(module, module.exports, createRequire(pathToFileURL(path)));
  return module.exports;
}

test('import and require load copies with separate classes', () => {
  expect(cjsAxios.AxiosError).not.toBe(esmAxios.AxiosError);
});

const copies: [name: string, axios: AxiosStatic][] = [
  ['import', esmAxios],
  ['require', cjsAxios],
];

describe.each(copies)('an instance of the copy loaded by %s', (_, axios) => {
  const others = copies.map(([, copy]) => copy).filter((copy) => copy !== axios);

  /** Without ebb and with it: both must behave the same. */
  const both = (config: object, options: PolicyOptions = atOnce) => {
    const bare = axios.create(config);
    const wrapped = axios.create(config);
    wrapped.interceptors.request.use(ebbInterceptor(options));
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
  const CANCELED = [
    [true, true, true, true],
    [false, false, true, true],
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

    test('a response', async () => {
      const server = await serve({ status: 200 });
      for (const client of both({ adapter })) {
        const { headers, config } = await client.get(server.url);
        expect(headers).toBeInstanceOf(axios.AxiosHeaders);
        expect(config.headers).toBeInstanceOf(axios.AxiosHeaders);
      }
    });

    test('a network error', async () => {
      const port = await refusingPort();
      for (const client of both({ adapter }, { ...atOnce, maxRetries: 1 })) {
        expect(classesOf(await errorOf(client.get(`http://127.0.0.1:${port}/`)))).toEqual(AXIOS_ERROR);
      }
    });

    test('a timeout', async () => {
      const server = await serve('hang');
      for (const client of both({ adapter, timeout: 20 }, { ...atOnce, maxRetries: 1 })) {
        expect(classesOf(await errorOf(client.get(server.url)))).toEqual(AXIOS_ERROR);
      }
    });

    test('a cancellation during an attempt', async () => {
      const server = await serve('hang');
      for (const client of both({ adapter })) {
        const controller = new AbortController();
        server.onHang = () => controller.abort();
        const error = await errorOf(client.get(server.url, { signal: controller.signal }));
        expect(classesOf(error)).toEqual(CANCELED);
      }
    });

    test('an unknown adapter name', async () => {
      for (const client of both({ adapter: 'nonsense' })) {
        expect(classesOf(await errorOf(client.get('/')))).toEqual(AXIOS_ERROR);
      }
    });
  });

  test('a cancellation during a delay, and before the request', async () => {
    const server = await serve({ status: 503 });
    const controller = new AbortController();
    const clock = virtualClock({ startMs: 0 });
    const onEvent: PolicyOptions['onEvent'] = ({ type }) => type === 'retry' && controller.abort();
    const [, client] = both({}, { clock, onEvent });
    const { signal } = controller;
    const error = await errorOf(client?.get(server.url, { signal }) as Promise<unknown>);
    expect(classesOf(error)).toEqual(CANCELED);
    expect(attemptsOf(error)).toMatchObject([{ status: 503 }]);
    for (const each of both({})) {
      expect(classesOf(await errorOf(each.get(server.url, { signal })))).toEqual(CANCELED);
    }
  });

  test('an attempt beyond attemptTimeoutMs', async () => {
    const server = await serve('hang');
    const [, client] = both({}, { attemptTimeoutMs: 20, maxRetries: 0 });
    expect(classesOf(await errorOf(client?.get(server.url) as Promise<unknown>))).toEqual(AXIOS_ERROR);
  });
});

describe('an instance of a copy that cannot be found', () => {
  const axios = bundledAxios();
  const clientOf = (config: AxiosRequestConfig, given?: AxiosModule) => {
    const client = axios.create(config as object);
    client.interceptors.request.use(ebbInterceptor({ ...atOnce, maxRetries: 1 }, given));
    return client;
  };

  test('rejects with a TypeError, not with the errors of another copy', async () => {
    const server = await serve({ status: 503 });
    const error = await errorOf(clientOf({ adapter: 'http' }).get(server.url));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('pass it: ebbInterceptor(policy, axios)');
    expect(server.seen).toEqual([]);
    // `ebb: false` needs no copy.
    expect((await errorOf(clientOf({}).get(server.url, { ebb: false }))).status).toBe(503);
  });

  test('works if its module is passed', async () => {
    const server = await serve({ status: 503 });
    const error = await errorOf(clientOf({ adapter: 'http' }, axios).get(server.url));
    expect([error instanceof axios.AxiosError, error instanceof esmAxios.AxiosError]).toEqual([true, false]);
    expect(server.seen).toHaveLength(2);
    // The module that was passed is for its own instances; other copies are found as before.
    const other = cjsAxios.create();
    other.interceptors.request.use(ebbInterceptor(atOnce, axios));
    expect((await errorOf(other.get('http://127.0.0.1:1/'))) instanceof cjsAxios.AxiosError).toBe(true);
  });

  test('works with a custom adapter, and rejects with its own CanceledError during a delay', async () => {
    const adapter: AxiosAdapter = async (config) => {
      return { status: 503, statusText: '', data: '', headers: {}, config };
    };
    const controller = new AbortController();
    const client = axios.create({ adapter });
    const onEvent = vi.fn(({ type }) => type === 'retry' && controller.abort());
    client.interceptors.request.use(ebbInterceptor({ onEvent }));
    const { signal } = controller;
    expect(await errorOf(client.get('http://upstream/', { signal }))).toBeInstanceOf(axios.CanceledError);
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

test.each([esmAxios.create(), {}, null, 'axios'])('%o is not the axios module', (value) => {
  expect(() => ebbInterceptor({}, value as never)).toThrow(
    'axios must be the axios module itself, got something else',
  );
});
