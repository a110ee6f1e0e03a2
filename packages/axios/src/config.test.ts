import { concurrencyLimit, createPolicy, tokenBucket } from '@ebb/core';
import { Call, LAYER, layerOf } from '@ebb/core/adapter';
import axios, { AxiosHeaders } from 'axios';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Config, changeHeaders, checkShared, exchange, takeMark, urlOf, withContext } from './config.ts';

const configOf = (config: object): Config => ({ headers: new AxiosHeaders(), ...config });

describe('the URL of a request', () => {
  afterEach(() => vi.unstubAllGlobals());

  const params = { a: '1 2', b: [3] };
  const baseURL = 'https://a.test/v1';

  test.each<[config: object, expected: string]>([
    [{ url: 'https://a.test/b' }, 'https://a.test/b'],
    [{ url: 'https://a.test/b', baseURL: 'https://c.test/' }, 'https://a.test/b'],
    [{ url: 'HTTPS+x.-1://a.test/b', baseURL }, 'HTTPS+x.-1://a.test/b'],
    [{ url: '//a.test/b', baseURL }, '//a.test/b'],
    [{ url: 'https://c.test/b', baseURL, allowAbsoluteUrls: false }, `${baseURL}/https://c.test/b`],
    [{ url: 'https://a.test/b', params }, 'https://a.test/b?a=1+2&b%5B%5D=3'],
    [{ url: '/b', baseURL }, `${baseURL}/b`],
    [{ url: 'b?to=//c.test', baseURL }, `${baseURL}/b?to=//c.test`],
    [{ baseURL }, baseURL],
    [{ url: '/b', baseURL, params, paramsSerializer: { serialize: () => 'own' } }, `${baseURL}/b?own`],
    [{ url: '/b' }, '/b'],
    [{}, ''],
  ])('%j', (config, expected) => {
    expect(urlOf(configOf(config))).toBe(expected);
  });

  test('whose parameters cannot be serialized is that without them', () => {
    const serialize = () => {
      throw new Error('no');
    };
    expect(urlOf(configOf({ url: '/b', params, paramsSerializer: { serialize } }))).toBe('/b');
  });

  test.each([
    ['b', 'https://page.test/a/b'],
    ['/b', 'https://page.test/b'],
    ['https://a.test', 'https://a.test/'],
    ['http://[', 'http://['],
  ])('in a page: %s', (url, expected) => {
    vi.stubGlobal('location', { href: 'https://page.test/a/' });
    expect(urlOf(configOf({ url }))).toBe(expected);
  });
});

test('headers are changed in a copy, of the same class', () => {
  const headers = new AxiosHeaders({ a: '1', b: '2' });
  const copy = changeHeaders(headers, { A: undefined, B: '3', c: '4' });
  expect(copy).toBeInstanceOf(AxiosHeaders);
  expect([{ ...copy }, { ...headers }]).toEqual([
    { b: '3', c: '4' },
    { a: '1', b: '2' },
  ]);
});

test('fields that are exchanged twice are as they were, also those that were not there', () => {
  const config = { a: 1, b: 2 };
  const before = exchange(config, [
    ['a', undefined],
    ['b', 3],
    ['c', 4],
  ]);
  expect(config).toEqual({ b: 3, c: 4 });
  expect('a' in config).toBe(false);
  exchange(config, before);
  expect(config).toEqual({ a: 1, b: 2 });
  expect('c' in config).toBe(false);
});

/** The layer of an attempt that the clients below find. */
function layerOfAttempt(): object {
  const request = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
  const call = new Call(createPolicy(), request, undefined, 'converted');
  call.next();
  return layerOf(call) as object;
}

describe('the mark for layers below', () => {
  const layer = layerOfAttempt();

  test('stands beside the options of fetch, is not copied with them by axios, and is taken out again', () => {
    const config = configOf({ fetchOptions: { cache: 'no-store' } });
    exchange(config, withContext(config, layer));
    const { fetchOptions } = axios.mergeConfig({}, config) as { fetchOptions?: { [LAYER]?: object } };
    expect(fetchOptions?.[LAYER]).toBe(layer);
    expect(takeMark(config)).toBe(layer);
    expect(config).toHaveProperty('fetchOptions', { cache: 'no-store' });
    expect(takeMark(config)).toBeUndefined();
  });

  test('takes the options of ebb, which are for the layer above alone', () => {
    const fields = (ebb?: object) =>
      withContext(configOf(ebb === undefined ? {} : { ebb }), layer).map(([name]) => name);
    expect([fields(), fields({ maxRetries: 1 })]).toEqual([['fetchOptions'], ['fetchOptions', 'ebb']]);
  });

  test('is not there in a config without any', () => {
    const config = configOf({});
    expect(takeMark(config)).toBeUndefined();
    expect(config).not.toHaveProperty('fetchOptions');
  });
});

describe('options of one request', () => {
  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1 });

  test.each<[story: string, options: object]>([
    ['a bucket', { bucket }],
    ['a limit', { concurrency: concurrencyLimit({ maxConcurrent: 1 }) }],
    ['numbers', { maxRetries: 1, idempotencyKey: true }],
    [
      'plain objects without a state',
      { retryAfter: { maxMs: 1 }, cost: { a: 1 }, clock: {}, actualCost: {} },
    ],
    ['nothing', { bucket: undefined, throttle: null }],
    ['lists', { plugins: [] }],
  ])('may have %s', (_, options) => {
    expect(() => checkShared(options)).not.toThrow();
  });

  test.each(['bucket', 'budget', 'concurrency', 'throttle', 'costs'])(
    'may not have a clone of a %s',
    (name) => {
      const check = () => checkShared({ [name]: { ...bucket } } as never);
      expect(check).toThrow(TypeError);
      expect(check).toThrow(
        `ebb: ${name} must be an instance of a class, which axios does not copy for each request, got a plain object`,
      );
    },
  );
});
