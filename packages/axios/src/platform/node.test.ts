import { Readable } from 'node:stream';
import { systemClock } from '@ebb/core/adapter';
import { describe, expect, test, vi } from 'vitest';
import {
  abortUpload,
  breaksBody,
  closeWith,
  everyRetryAfter,
  isTunnelRefused,
  lastHop,
  receivedResponse,
  whenNodeBodyEnds,
} from './node.ts';

test.each<[story: string, request: object, expected: object | undefined]>([
  ['not sent', {}, undefined],
  ['of Node', { res: null }, undefined],
  ['without a redirect', { _redirectCount: 0, _currentUrl: 'http://a.test/' }, { redirected: false }],
  ['of the last hop', { _redirectable: { _redirectCount: 0 } }, { redirected: false }],
  [
    'after redirects',
    { _redirectable: { _redirectCount: 2, _currentUrl: 'http://b.test/' } },
    { redirected: true, url: 'http://b.test/' },
  ],
])('the last hop of a request: %s', (_, request, expected) => {
  expect(lastHop(request)).toEqual(expected);
});

test.each<[request: object, expected: string | undefined]>([
  [{ res: { headersDistinct: { 'retry-after': ['3', '5'] } } }, '3, 5'],
  [{ res: { headersDistinct: { 'retry-after': ['3'] } } }, '3'],
  [{ res: { headersDistinct: {} } }, undefined],
  [{ res: { headers: { 'retry-after': '3' } } }, undefined],
  [{ res: null }, undefined],
  [{}, undefined],
])('every Retry-After of %j', (request, expected) => {
  expect(everyRetryAfter(request)).toBe(expected);
});

test.each<[request: object, expected: object | undefined]>([
  [{ res: { statusCode: 503, headers: { a: '1' } } }, { status: 503, headers: { a: '1' } }],
  [{ res: {} }, { status: 0, headers: undefined }],
  [{ res: null }, undefined],
  [{}, undefined],
])('what has been received of %j', (request, expected) => {
  expect(receivedResponse(request)).toEqual(expected);
});

test.each<[story: string, request: object, expected: boolean]>([
  ['https over a socket that has sent nothing', { protocol: 'https:', socket: { bytesWritten: 0 } }, true],
  ['http', { protocol: 'http:', socket: { bytesWritten: 0 } }, false],
  ['a socket that has sent something', { protocol: 'https:', socket: { bytesWritten: 1 } }, false],
  ['an encrypted one', { protocol: 'https:', socket: { bytesWritten: 0, encrypted: true } }, false],
  ['a socket that does not say', { protocol: 'https:', socket: {} }, false],
  ['no socket', { protocol: 'https:', socket: null }, false],
  ['a mock', {}, false],
])('a proxy has refused the tunnel: %s', (_, request, expected) => {
  expect(isTunnelRefused(request)).toBe(expected);
});

test.each<[writableFinished: unknown, times: number]>([
  [false, 1],
  [true, 0],
  [undefined, 0],
])('an upload is destroyed whose writableFinished is %s: %i', (writableFinished, times) => {
  const destroy = vi.fn();
  abortUpload({ writableFinished, destroy });
  expect(destroy).toHaveBeenCalledTimes(times);
  expect(() => abortUpload({ writableFinished })).not.toThrow();
});

test.each<[message: unknown, expected: boolean]>([
  ['stream has been aborted', true],
  ['maxContentLength size of -1 exceeded', true],
  ['maxContentLength size of 10 exceeded', false],
  ['the stream has been aborted', false],
  ['stream has been aborted again', false],
  [undefined, false],
  [{ toString: () => 'stream has been aborted' }, false],
])('%s tells of a body that broke: %s', (message, expected) => {
  expect(breaksBody({ message })).toBe(expected);
});

describe('the end of a stream of Node', () => {
  test.each<[story: string, response: unknown]>([
    ['no response', undefined],
    ['a text', { data: 'text' }],
    ['a stream that was destroyed', { data: Readable.from([]).destroy() }],
  ])('there is none to wait for: %s', (_, response) => {
    const ended = vi.fn();
    expect(whenNodeBodyEnds(response as never, systemClock, ended)).toBe(false);
    expect(ended).not.toHaveBeenCalled();
  });

  test.each<[story: string, request: object | undefined]>([
    ['with the response of Node', { res: null }],
    ['without it', {}],
    ['without a request', undefined],
  ])('is told: %s', async (_, request) => {
    const data = Readable.from(['text']);
    const ended = new Promise<void>((resolve) => {
      expect(whenNodeBodyEnds({ data, request } as never, systemClock, resolve)).toBe(true);
    });
    data.resume();
    await ended;
    expect(whenNodeBodyEnds({ data } as never, systemClock, () => undefined)).toBe(false);
  });

  test('closes an upload', async () => {
    const data = Readable.from(['text']);
    const closed = new Promise<void>((resolve) => expect(closeWith(data, resolve)).toBe(true));
    data.destroy();
    await closed;
    const close = vi.fn();
    expect(['text', undefined, data].map((one) => closeWith(one, close))).toEqual([false, false, false]);
    expect(close).not.toHaveBeenCalled();
  });
});
