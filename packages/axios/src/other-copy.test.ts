import { createRequire } from 'node:module';
import type { PolicyOptions } from '@ebb/core';
import esmAxios, { type AxiosAdapter, type AxiosInstance, type AxiosStatic } from 'axios';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { bundledAxios } from '../test/bundled-axios.ts';
import { atOnce, errorOf } from '../test/client.ts';

const cjsAxios = createRequire(import.meta.url)('axios') as AxiosStatic;
/** The copy of the instances, which ebb cannot find. */
const axios = bundledAxios();
/** Reads headers of another class as one name, as axios does before 1.8. */
const oldAxios = bundledAxios((code) =>
  code.replace('isSafeIterable(header)', "isSafeIterable(header) && kindOf(header) !== 'axiosheaders'"),
);

const warning = vi.spyOn(process, 'emitWarning');
let ebb: typeof import('./index.ts');

// A program warns once.
beforeEach(async () => {
  vi.resetModules();
  warning.mockReset().mockImplementation(() => {});
  ebb = await import('./index.ts');
});
afterEach(() => vi.doUnmock('axios'));

const texts = (): string[] => warning.mock.calls.map(([text]) => String(text));

/** axios, as the freshly loaded ebb imports it. */
const imported = async (): Promise<AxiosStatic> => (await import('axios')).default;

function clientOf(config: object, options: PolicyOptions = atOnce, given?: AxiosStatic): AxiosInstance {
  const client = axios.create(config);
  client.interceptors.request.use(ebb.ebbInterceptor(options, given));
  return client;
}

/** What a program that has the copy of the instance finds out about an error, and whether a copy made it. */
const marks = (error: unknown, copy: AxiosStatic) => ({
  isAxiosError: axios.isAxiosError(error),
  isCancel: axios.isCancel(error),
  isOfCopy: error instanceof copy.AxiosError,
});
const CANCELED = { isAxiosError: true, isCancel: true, isOfCopy: true };

const givens: [name: string, given: AxiosStatic | undefined][] = [
  ['no copy', undefined],
  ['the copy of require', cjsAxios],
  ['its own copy', axios],
  ['a copy that does not know headers of another one', oldAxios],
];

describe.each(givens)('an instance of a copy that cannot be found, with %s passed', (_, given) => {
  test.each(['http', 'fetch', undefined])('gets responses over %s', async (adapter) => {
    const server = await serve({ status: 503 }, { status: 200, headers: { x: 'y' } }, { status: 200 });
    const headers = { a: 'b', 'User-Agent': false };
    const client = clientOf({ adapter, headers }, atOnce, given);
    const { config, ...response } = await client.put(server.url, { c: 'd' });
    expect([response.status, response.headers.x]).toEqual([200, 'y']);
    expect([response.headers, config.headers]).toEqual([
      expect.any(axios.AxiosHeaders),
      expect.any(axios.AxiosHeaders),
    ]);
    await axios.put(server.url, { c: 'd' }, { adapter: adapter ?? 'http', headers });
    const [first, second, bare] = server.seen.map(({ headers, body }) => ({ headers, body }));
    expect([first, second]).toEqual([bare, bare]);
    expect(texts()).toHaveLength(given === undefined ? 1 : 0);
  });
});

test('a mock of another copy has no effect on an instance that names no adapter', async () => {
  const server = await serve({ status: 200 });
  const mock = vi.fn();
  const other = await imported();
  const before = other.defaults.adapter as AxiosAdapter;
  try {
    other.defaults.adapter = mock;
    const client = clientOf({});
    client.interceptors.request.use((config) => ({ ...config, adapter: undefined as never }));
    expect((await client.get(server.url)).status).toBe(200);
  } finally {
    other.defaults.adapter = before;
  }
  expect(mock).not.toHaveBeenCalled();
});

test('the warning names the version and what to do', async () => {
  const server = await serve({ status: 200 }, { status: 200 });
  await clientOf({}).get(server.url);
  await clientOf({}).get(server.url);
  expect(texts()).toEqual([
    expect.stringContaining(
      `another one, ${esmAxios.VERSION}. axios.isAxiosError and axios.isCancel know the errors`,
    ),
  ]);
  expect(texts()[0]).toContain('Pass a copy to choose it: ebbInterceptor(policy, axios)');
});

describe.each([
  ['another major version', { ...esmAxios, default: undefined, VERSION: '2.0.0' }],
  ['a mock that lacks the classes', { create: () => undefined }],
])('with %s as the imported copy', (_, module) => {
  beforeEach(async () => {
    vi.resetModules();
    vi.doMock('axios', () => ({ default: module }));
    ebb = await import('./index.ts');
  });

  test('without any copy, says what to do if one is needed', async () => {
    const server = await serve({ status: 200 }, { status: 200 });
    const error = await errorOf(clientOf({}).get(server.url));
    expect(error).toEqual(
      new TypeError(
        'ebb: @ebb/axios cannot find a copy of axios 1; pass the module: ebbInterceptor(policy, axios)',
      ),
    );
    expect(server.seen).toEqual([]);
    expect((await clientOf({}).get(server.url, { ebb: false })).status).toBe(200);
    expect((await clientOf({}, atOnce, axios).get(server.url)).status).toBe(200);

    const controller = new AbortController();
    const adapter: AxiosAdapter = async (config) => {
      controller.abort();
      return { status: 503, statusText: '', data: '', headers: {}, config };
    };
    const canceled = clientOf({ adapter }).get('http://upstream/', { signal: controller.signal });
    expect(marks(await errorOf(canceled), axios)).toEqual(CANCELED);
  });
});
