import { HookError } from '@ebb/core/adapter';
import { AxiosHeaders, CanceledError } from 'axios';
import { describe, expect, test } from 'vitest';
import { failureOf, outcomeOf, type ResponseOutcome } from './outcome.ts';

const url = 'http://a.test/b';
const sentTo = (config: object = {}) =>
  ({ url, config: { headers: new AxiosHeaders(), url, ...config } }) as never;
const coded = (code: string, more: object = {}) => Object.assign(new Error('failed'), { code, ...more });

describe('the kind of a failure', () => {
  const BAD = 'ERR_BAD_RESPONSE';
  const tooLong = (most: number) => `maxContentLength size of ${most} exceeded`;
  const own = { config: { timeoutErrorMessage: 'too slow' } };

  test.each<[story: string, error: unknown, kind: string]>([
    ['a refused connection', coded('ECONNREFUSED'), 'connect'],
    ['a reset', coded('ECONNRESET'), 'network'],
    ['a factory whose file server refused', new HookError('data', coded('ECONNREFUSED')), 'unknown'],
    ['a timeout of axios', coded('ECONNABORTED', { message: 'timeout of 5ms exceeded' }), 'timeout'],
    [
      'a timeout with a message of the caller',
      coded('ECONNABORTED', { message: 'too slow', ...own }),
      'timeout',
    ],
    ['the same with the clear code', coded('ETIMEDOUT', { message: 'too slow', ...own }), 'timeout'],
    ['another abort beside such a message', coded('ECONNABORTED', { message: 'aborted', ...own }), 'network'],
    ['a timeout while connecting', coded('ETIMEDOUT', { syscall: 'connect' }), 'connect'],
    [
      'one beside such a message',
      coded('ETIMEDOUT', { syscall: 'connect', message: 'too slow', ...own }),
      'connect',
    ],
    ['a reset beside such a message', coded('ECONNRESET', { message: 'too slow', ...own }), 'network'],
    [
      'a refusal that a broken body caused',
      coded('ECONNREFUSED', { message: 'stream has been aborted' }),
      'connect',
    ],
    ['a text', 'failed', 'unknown'],
    ['nothing', undefined, 'unknown'],
    ['an upload that no signal has canceled', new CanceledError('aborted'), 'unknown'],
    ['a body that broke in an older axios', coded(BAD, { message: tooLong(-1) }), 'network'],
    ['a body beyond maxContentLength', coded(BAD, { message: tooLong(1) }), 'unknown'],
    ['a body that broke', new Error('stream has been aborted'), 'network'],
    ['an abort that is not the caller’s', new DOMException('aborted', 'AbortError'), 'unknown'],
    ['an abort for a timeout', coded('ETIMEDOUT', { cause: new DOMException('a', 'AbortError') }), 'timeout'],
  ])('%s', (_, error, kind) => {
    expect(failureOf(error, sentTo())).toMatchObject({ type: 'failure', kind, error });
  });
});

describe('an error that carries a response', () => {
  const with_ = (status: number, config?: object, more: object = {}) =>
    Object.assign(coded('ECONNRESET'), { response: { status, headers: {}, config, ...more } });

  test.each<[story: string, error: object, expected: object]>([
    ['of a status that failed', with_(503), { type: 'response', status: 503 }],
    ['of a redirect that is not followed', with_(300), { type: 'response', status: 300 }],
    ['of a success whose body broke', with_(200), { type: 'failure', kind: 'network' }],
    ['of a success, with any status allowed', with_(200, { validateStatus: null }), { type: 'failure' }],
    ['of a success that was allowed', with_(200, { validateStatus: () => true }), { type: 'failure' }],
    [
      'of a success that was not',
      with_(204, { validateStatus: () => false }),
      { type: 'response', status: 204 },
    ],
  ])('%s', (_, error, expected) => {
    expect(failureOf(error, sentTo())).toMatchObject(expected);
  });

  test.each<[res: object | null, expected: object]>([
    [
      { statusCode: 503, headers: { a: '1' } },
      { type: 'response', status: 503 },
    ],
    [{ statusCode: 400 }, { type: 'response', status: 400 }],
    [{ statusCode: 399 }, { type: 'failure' }],
    [null, { type: 'failure' }],
  ])('or hides it in its request: %j', (res, expected) => {
    expect(failureOf(coded('ERR_BAD_RESPONSE', { request: { res } }), sentTo())).toMatchObject(expected);
  });

  test('that of a proxy which refused the tunnel is no response', () => {
    const request = { protocol: 'https:', socket: { bytesWritten: 0 } };
    const error = with_(407, undefined, { request });
    expect(failureOf(error, sentTo())).toMatchObject({ type: 'failure', kind: 'connect', error });
  });
});

describe('the hop of an outcome', () => {
  const other = 'http://c.test/';

  test.each<[story: string, request: object | undefined, config: object, expected: object]>([
    ['of nothing that is known', undefined, {}, { redirected: true }],
    ['of the first request', { _redirectCount: 0 }, {}, { redirected: false }],
    ['of a redirect', { _redirectCount: 1, _currentUrl: other }, {}, { redirected: true, url: other }],
    ['of a fetch that follows', { redirect: 'follow' }, {}, { redirected: true }],
    ['of a fetch that follows none', { redirect: 'manual' }, {}, { redirected: false }],
    ['of a page, with the URL', { responseURL: url }, {}, { redirected: false }],
    ['of a page, with the URL of the config', { responseURL: other }, { url: other }, { redirected: false }],
    ['of a page, with a fragment', { responseURL: other }, { url: `${other}#c#d` }, { redirected: false }],
    ['of a page, with another URL', { responseURL: other }, {}, { redirected: true, url: other }],
    [
      'of a page, without a URL in the config',
      { responseURL: other },
      { url: undefined },
      { redirected: true, url: other },
    ],
    ['of a page, with a URL that is none', { responseURL: 'b' }, { url: 'b' }, { redirected: false }],
    ['of a page that says none', { responseURL: '' }, { maxRedirects: 0 }, { redirected: true }],
    ['of a page that says nothing', { responseURL: null }, { maxRedirects: 0 }, { redirected: true }],
    ['without redirects', {}, { maxRedirects: 0 }, { redirected: false }],
    ['of HTTP/2', {}, { httpVersion: '2' }, { redirected: false }],
    ['of HTTP/1', {}, { httpVersion: 1 }, { redirected: true }],
  ])('%s', (_, request, config, expected) => {
    const outcome = outcomeOf({ status: 200, headers: {}, request }, sentTo(config));
    const { redirected, url } = outcome as ResponseOutcome;
    expect({ redirected, url }).toEqual({ url: undefined, ...expected });
  });
});

describe('the headers of an outcome', () => {
  const headersDistinct = { 'retry-after': ['3', '5'] };

  test.each<[request: object | undefined, name: string, value: string | undefined]>([
    [{ res: { headersDistinct } }, 'retry-after', '3, 5'],
    [{ res: { headersDistinct } }, 'a', '1'],
    [{ res: { headersDistinct: {} } }, 'retry-after', '3'],
    [undefined, 'retry-after', '3'],
    [undefined, 'b', undefined],
  ])('%j: %s', (request, name, value) => {
    const headers = new AxiosHeaders({ 'Retry-After': '3', a: '1' });
    const outcome = outcomeOf({ status: 503, headers, request }, sentTo());
    expect(outcome.type === 'response' && outcome.header(name)).toBe(value);
  });
});
