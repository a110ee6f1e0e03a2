import { Readable } from 'node:stream';
import { attemptsOf } from '@ebb/core';
import axios, { type AxiosAdapter, type AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { unavailable } from '../../test/adapters.ts';
import { BYTES, formOf, nativeForm, sentBody, webStream } from '../../test/bodies.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { DOWN, UP } from '../../test/steps.ts';

const BUSY: Step = { status: 429, body: 'busy' };

describe.each(['http', 'fetch'])('over the %s adapter', (adapter) => {
  test.each<[what: string, make: () => unknown, config?: AxiosRequestConfig]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a string', () => 'text'],
    ['an empty string', () => ''],
    ['an object', () => ({ a: 'ü' })],
    ['a Buffer', () => Buffer.from('text')],
    ['a typed array', () => BYTES.slice()],
    ['an ArrayBuffer', () => BYTES.slice().buffer],
    ['URLSearchParams', () => new URLSearchParams({ a: '1 2' })],
    ['a Blob', () => new Blob(['text'], { type: 'text/plain' })],
    ['a File', () => new File(['text'], 'a.txt', { type: 'text/plain' })],
    ['FormData', nativeForm],
    ['FormData with a header', nativeForm, { headers: { 'content-type': 'multipart/form-data' } }],
  ])('%s is sent again, byte for byte as axios sends it', async (_, make, config = {}) => {
    const server = await serve(DOWN, DOWN, UP, UP);
    const data = make();
    const response = await clientOf({ adapter, ...config }).put(server.url, data);
    expect(response.data).toBe('up');
    await axios.put(server.url, make(), { adapter, ...config });
    const [plain, ...ours] = server.seen.map(sentBody).reverse();
    expect(ours).toEqual([plain, plain, plain]);
  });

  const once: [what: string, adapters: string, make: () => unknown][] = [
    ['a Node stream', 'http, fetch', () => Readable.from(['te', 'xt'])],
    ['a web stream', 'fetch', () => webStream('text')],
    ['a form with a stream in it', 'http', () => formOf(['a', 'b'], ['file', Readable.from(['text'])])],
    [
      'a form with a stream of a known length in it',
      'http',
      () => formOf(['file', Readable.from(['text']), { knownLength: 4, filename: 'a' }]),
    ],
    [
      'a form of unknown length',
      'http',
      () => formOf(['file', Object.assign(Buffer.from('text'), { path: 'a' })]),
    ],
  ];
  const mine = once.filter(([, adapters]) => adapters.includes(adapter));
  test.each(mine)('%s is sent once, and is not retried with an empty body', async (_, __, make) => {
    for (const step of [DOWN, BUSY]) {
      const server = await serve(step, UP);
      const error = await errorOf(clientOf({ adapter }).put(server.url, make()));
      expect(attemptsOf(error)).toMatchObject([{ reason: 'not-replayable' }]);
      expect(error.response?.data).toBe((step as { body: string }).body);
      expect(server.seen.map(({ body }) => body)).toEqual([expect.stringContaining('text')]);
    }
  });
});

describe('with a custom adapter', () => {
  test.each<[string, data: unknown, attempts: number]>([
    ['an async iterator is sent once', (async function* () {})(), 1],
    ['an iterator is sent once', (function* () {})(), 1],
    ['an object of any other class is sent again', new Map(), 2],
  ])('%s', async (_, data, attempts) => {
    const client = clientOf({ adapter: unavailable, transformRequest: [] }, { ...atOnce, maxRetries: 1 });
    const response = await client.put('/', data, { validateStatus: null });
    expect(attemptsOf(response)).toHaveLength(attempts);
  });

  test('a buffer that was transferred meanwhile is not sent empty', async () => {
    const data = BYTES.slice().buffer;
    const adapter: AxiosAdapter = async (config) => {
      structuredClone(data, { transfer: [data] });
      return unavailable(config);
    };
    const response = await clientOf({ adapter }).put('/', data, { validateStatus: null });
    expect(attemptsOf(response)).toMatchObject([{ reason: 'not-replayable' }]);
  });
});
