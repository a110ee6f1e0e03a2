import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { attemptsOf } from '@ebb/core';
import axios, { type AxiosRequestConfig } from 'axios';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { refusingPort } from '../../../test/refusing.ts';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { atOnce, clientOf, errorOf, kindsOf } from '../test/client.ts';
import { listen } from '../test/servers.ts';
import { DOWN, UP } from '../test/steps.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A timeout of axios, which fake timers end when the server hangs. */
const timeout = 60_000;

describe.each(['http', 'fetch'])('over the %s adapter', (adapter) => {
  test.each<[what: string, script: Step[], kinds: (number | string)[], config?: AxiosRequestConfig]>([
    ['a reset before the headers', ['reset', UP], ['network', 200]],
    ['a reset in the middle of a body', ['half-body', UP], ['network', 200]],
    ['a POST whose response body is reset', ['half-body', UP], ['network'], { method: 'POST' }],
    ['a server that hangs, until the timeout', ['hang', UP], ['timeout', 200], { timeout }],
    [
      'two hangs: each attempt has the whole timeout',
      ['hang', 'hang', UP],
      ['timeout', 'timeout', 200],
      { timeout },
    ],
    [
      'a timeout with clarifyTimeoutError and timeoutErrorMessage',
      ['hang', UP],
      ['timeout', 200],
      { timeout, transitional: { clarifyTimeoutError: true }, timeoutErrorMessage: 'too slow' },
    ],
    [
      'a timeout with timeoutErrorMessage',
      ['hang', UP],
      ['timeout', 200],
      { timeout, timeoutErrorMessage: 'too slow' },
    ],
  ])('%s', async (_, script, kinds, config = {}) => {
    const server = await serve(...script);
    if (config.timeout !== undefined) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    server.onHang = () => vi.advanceTimersByTime(timeout);
    const result = await clientOf({ adapter, ...config })
      .request({ url: server.url })
      .catch((error: unknown) => error);
    expect(kindsOf(result)).toEqual(kinds);
    expect(server.seen).toHaveLength(kinds.length);
  });

  test('a refused connection', async () => {
    const port = await refusingPort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${port}/`;
      const error = await errorOf(clientOf({ adapter }, { ...atOnce, maxRetries: 1 }).put(url, 'text'));
      expect(attemptsOf(error)).toMatchObject([
        // With fetch a redirect may have led to the refused port, so it does not count as refused.
        { failure: 'connect', reason: adapter === 'http' ? 'refused' : 'transient' },
        { failure: 'connect', reason: 'retries-exhausted' },
      ]);
      expect(error.code).toBe(adapter === 'http' ? 'ECONNREFUSED' : 'ERR_NETWORK');
    }
  });

  test.each<[string, AxiosRequestConfig]>([
    ['an invalid URL', { url: 'http://' }],
    ['a relative URL', { url: '/path' }],
    ['an unknown scheme', { url: 'foo://upstream/' }],
    ['an invalid header', { url: 'http://127.0.0.1/', headers: { 'a b': 'c' } }],
  ])('%s is final, and rejects with axios’s own error', async (_, config) => {
    const plain = await errorOf(axios.request({ adapter, ...config }));
    const error = await errorOf(clientOf({ adapter }).request(config));
    expect(attemptsOf(error)).toMatchObject([{ failure: 'unknown', reason: 'final' }]);
    expect([error.name, error.message, error.code]).toEqual([plain.name, plain.message, plain.code]);
  });

  test('too many redirects are final', async () => {
    let requests = 0;
    const url = await listen(
      createServer((_, response) => {
        requests += 1;
        response.writeHead(302, { location: '/' }).end();
      }),
    );
    const error = await errorOf(clientOf({ adapter, maxRedirects: 2 }).get(url));
    expect(attemptsOf(error)).toMatchObject([{ failure: 'unknown', reason: 'final' }]);
    // The fetch adapter ignores maxRedirects: the limit is that of fetch.
    expect(requests).toBe(adapter === 'http' ? 3 : 21);
  });

  test('responseType applies to the last response', async () => {
    const packed = { status: 200, body: gzipSync('text'), headers: { 'content-encoding': 'gzip' } };
    const server = await serve(DOWN, packed);
    const client = clientOf({ adapter });
    const { data } = await client.get(server.url, { responseType: 'arraybuffer' });
    expect(Buffer.from(data).toString()).toBe('text');
    const json = await serve(DOWN, { status: 200, body: '[1]' });
    expect((await client.get(json.url)).data).toEqual([1]);
  });

  test('progress events are emitted for each attempt', async () => {
    const server = await serve(DOWN, UP);
    const onUploadProgress = vi.fn();
    const onDownloadProgress = vi.fn();
    await clientOf({ adapter }).put(server.url, 'text', { onUploadProgress, onDownloadProgress });
    expect(server.seen.map(({ body }) => body)).toEqual(['text', 'text']);
    const done = (calls: typeof onUploadProgress) => calls.mock.calls.map(([event]) => event.loaded);
    expect(done(onUploadProgress)).toEqual([4, 4]);
    expect(done(onDownloadProgress)).toEqual([4, 2]);
  });
});

describe('the http adapter', () => {
  test('calls beforeRedirect and applies maxRedirects in each attempt', async () => {
    let requests = 0;
    const url = await listen(
      createServer((request, response) => {
        requests += 1;
        if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
        else response.writeHead(requests > 2 ? 200 : 503).end();
      }),
    );
    const beforeRedirect = vi.fn();
    const response = await clientOf({ adapter: 'http', maxRedirects: 1, beforeRedirect }).get(url);
    expect(kindsOf(response)).toEqual([503, 200]);
    expect([requests, beforeRedirect.mock.calls.length]).toEqual([4, 2]);
  });

  test('does not decompress with decompress: false', async () => {
    const body = gzipSync('text');
    const packed = { body, headers: { 'content-encoding': 'gzip' } };
    const server = await serve({ status: 503, ...packed }, { status: 200, ...packed });
    const client = clientOf({ adapter: 'http', decompress: false, responseType: 'arraybuffer' });
    expect((await client.get(server.url)).data).toEqual(body);
  });
});
