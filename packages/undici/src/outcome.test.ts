import { HookError } from '@ebb/core/adapter';
import * as undici from 'undici';
import { describe, expect, test } from 'vitest';
import {
  type AttemptInfo,
  bodyTimeoutError,
  cutShortError,
  failureOutcome,
  headersTimeoutError,
  isClosedError,
  namingOldUndici,
  ResponseOutcome,
  requestAbortedError,
  Traits,
} from './outcome.ts';

const origin = 'http://a.test';
const coded = (code: string, message = 'failed'): Error => Object.assign(new Error(message), { code });
const started: AttemptInfo = { starts: 1, isRedirected: false };

describe('the kind of a failure, and whether its attempt may have been redirected', () => {
  const options = { path: '/', method: 'GET', origin } as const;

  const refused = coded('ECONNREFUSED');
  const ofFactory = new HookError('body', refused);

  test.each<[story: string, sent: Partial<AttemptInfo>, error: unknown, kind: string, redirected: boolean]>([
    ['no connection', { starts: 0 }, refused, 'connect', false],
    ['a refusal after the start', {}, refused, 'connect', true],
    ['a reset', {}, coded('ECONNRESET'), 'network', true],
    ['a refusal without a hop that answered', { hops: [] }, refused, 'connect', false],
    ['a refusal after a hop', { hops: [origin] }, refused, 'connect', true],
    ['a hop that was seen', { starts: 2, isRedirected: true, hops: [] }, refused, 'connect', true],
    ['one that was seen, before the start', { starts: 0, isRedirected: true }, refused, 'connect', true],
    ['an abort before the start', { starts: 0 }, requestAbortedError(), 'connect', false],
    ['an abort after it, not by the caller', {}, requestAbortedError(), 'unknown', true],
    ['a factory', { starts: 0 }, ofFactory, 'unknown', false],
    ['a timeout', {}, headersTimeoutError(5), 'timeout', true],
    ['a text', {}, 'failed', 'unknown', true],
  ])('%s', (_, sent, error, kind, redirected) => {
    const outcome = failureOutcome({ ...started, ...sent }, error, options);
    expect(outcome).toEqual({ type: 'failure', kind, error, redirected });
  });

  test.each([
    ['New streams cannot be created after receiving a GOAWAY', true],
    ['HTTP/2: "GOAWAY" frame received with code 0', false],
    ['Stream closed with error code NGHTTP2_REFUSED_STREAM', false],
  ])('of HTTP/2: %s', (message, redirected) => {
    expect(failureOutcome(started, new Error(message), options)).toMatchObject({ redirected });
  });

  test.each([undefined, null])('the hops say nothing if the origin is %s', (own) => {
    const sent = { ...started, hops: [] };
    const given = { path: '/', method: 'GET', origin: own } as never;
    expect(failureOutcome(sent, coded('ECONNREFUSED'), given)).toMatchObject({ redirected: true });
  });
});

describe('a request', () => {
  const urlOf = (options: object, own?: string) =>
    new Traits({ path: '/b', method: 'GET', ...options } as never, undefined, own).url;

  test.each<[options: object, url: string]>([
    [{ origin }, 'http://a.test/b'],
    [{ origin: `${origin}/` }, 'http://a.test/b'],
    [{ origin: new URL(origin) }, 'http://a.test/b'],
    [{}, 'http://own.test/b'],
    [{ origin: null }, 'http://own.test/b'],
    [{ origin, query: { c: '1 2', d: ['3', '4'] } }, 'http://a.test/b?c=1%202&d=3&d=4'],
    [{ origin, path: 'http://c.test/d' }, 'http://c.test/d'],
    [{ origin, path: 'https://c.test/d' }, 'https://c.test/d'],
    [{ origin, path: '/?to=https://c.test/' }, 'http://a.test/?to=https://c.test/'],
    [{ origin, path: 'ftp+https://c.test/' }, 'http://a.testftp+https://c.test/'],
  ])('to %j', (options, url) => {
    expect(urlOf(options, 'http://own.test')).toBe(url);
  });

  test('to no origin that is known', () => {
    expect(urlOf({})).toBe('http://dispatcher.invalid/b');
  });

  test('has a method in upper case, and may be sent again if nothing is known of its body', () => {
    const traits = new Traits({ origin, path: '/', method: 'put' as never, headers: { A: 'b' } }, undefined);
    expect([traits.method, traits.replayable, traits.header('a')]).toEqual(['PUT', true, 'b']);
    expect(new Traits({ origin, path: '/', method: 'PUT' }, { replayable: false }).replayable).toBe(false);
  });
});

describe('a response', () => {
  const head = { status: 200, headers: { a: ['1', '2'] } };

  const other = new URL('http://b.test');

  test.each<[sent: Partial<AttemptInfo>, redirected?: true, url?: string]>([
    [{}],
    [{ isRedirected: true }, true],
    [{ isRedirected: true, hops: [] }, true],
    [{ isRedirected: true, hops: [origin, other] }, true, 'http://b.test/'],
  ])('to %j', (sent, redirected, url) => {
    const outcome = new ResponseOutcome({ ...started, ...sent }, head);
    expect({ ...outcome }).toEqual({ type: 'response', status: 200, redirected, url });
  });

  test('has headers', () => {
    const outcome = new ResponseOutcome(started, head);
    const found = ['a', 'b', 'constructor'].map((name) => outcome.header(name));
    expect(found).toEqual(['1, 2', undefined, undefined]);
  });
});

describe('errors of undici', () => {
  const { errors } = undici;

  const { HeadersTimeoutError, BodyTimeoutError, RequestAbortedError, SocketError } = errors;

  test.each<[error: Error, of: new (...args: never[]) => Error, name: string, code: string, says: string]>([
    [
      headersTimeoutError(5),
      HeadersTimeoutError,
      'HeadersTimeoutError',
      'HEADERS_TIMEOUT',
      'No response within 5 ms',
    ],
    [bodyTimeoutError(5), BodyTimeoutError, 'BodyTimeoutError', 'BODY_TIMEOUT', 'Nothing arrived for 5 ms'],
    [requestAbortedError(), RequestAbortedError, 'AbortError', 'ABORTED', 'Request aborted'],
    [cutShortError(), SocketError, 'SocketError', 'SOCKET', 'The body ended before it was whole'],
  ])('%s', (error, Own, name, code, message) => {
    expect(error).toBeInstanceOf(Own);
    expect(error).toBeInstanceOf(errors.UndiciError);
    expect(error).toMatchObject({ name, code: `UND_ERR_${code}`, message });
    error.name = 'mine';
    expect(Object.keys(error)).toEqual(['code']);
  });

  test.each([
    [new errors.ClientClosedError(), true],
    [new errors.ClientDestroyedError(), true],
    [new errors.SocketError(), false],
    [undefined, false],
  ])('a closed dispatcher: %s', (error, expected) => {
    expect(isClosedError(error)).toBe(expected);
  });

  test.each([
    ['invalid onConnect method', 'UND_ERR_INVALID_ARG', true],
    ['invalid onError method', 'UND_ERR_INVALID_ARG', true],
    ['invalid onError method', 'UND_ERR', false],
    ['invalid onHeaders method', 'UND_ERR_INVALID_ARG', false],
    ['an invalid onError method', 'UND_ERR_INVALID_ARG', false],
    ['invalid onError methods', 'UND_ERR_INVALID_ARG', false],
  ])('a dispatcher of undici 6 says "%s", %s', (message, code, isOld) => {
    const error = coded(code, message);
    const named = namingOldUndici(error);
    if (!isOld) expect(named).toBe(error);
    else expect(named).toBeInstanceOf(TypeError);
    const says = expect.stringMatching(/undici 7 or 8.*undici 6 or older$/);
    if (isOld) expect(named).toMatchObject({ cause: error, message: says });
  });
});
