import type { Outcome, RequestTraits } from '@ebb/core';
import type { ResponseOutcome } from '@ebb/core/internal';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type AxiosErrorLike, axiosErrorOf, isAccepted } from './axios-error.ts';
import { likeAxiosRetry } from './axios-retry.ts';

const requestOf = (config?: object): RequestTraits => ({
  ...{ method: 'POST', url: 'https://a.test/', replayable: true, header: () => undefined },
  ...(config && { config }),
});
const fields: Readonly<Record<string, string>> = { 'retry-after': '5' };
const response = (status: number): ResponseOutcome => ({
  ...{ type: 'response', status, header: (name) => fields[name] },
});

afterEach(() => {
  vi.restoreAllMocks();
});

test.each<[status: number, config: object | undefined, accepted: boolean]>([
  [199, undefined, false],
  [200, undefined, true],
  [299, undefined, true],
  [300, undefined, false],
  [0, undefined, false],
  [200, { validateStatus: (status: number) => status === 404 }, false],
  [404, { validateStatus: (status: number) => status === 404 }, true],
  [503, { validateStatus: () => 'yes' }, true],
  [200, { validateStatus: () => '' }, false],
  // A value of a function: `retry` calls no client.
  [0, { validateStatus: () => false }, true],
  [503, {}, true],
])('a status of %i with the config %o: accepted is %s', (status, config, accepted) => {
  expect(isAccepted(response(status), requestOf(config))).toBe(accepted);
});

describe('the error that axios makes', () => {
  test.each<[status: number, code: string]>([
    [304, 'ERR_BAD_RESPONSE'],
    [399, 'ERR_BAD_RESPONSE'],
    [400, 'ERR_BAD_REQUEST'],
    [499, 'ERR_BAD_REQUEST'],
    [500, 'ERR_BAD_RESPONSE'],
  ])('of a %i', (status, code) => {
    const config = { method: 'put' };
    const error = axiosErrorOf(response(status), requestOf(config));
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toBe(`Request failed with status code ${status}`);
    expect({ ...error, response: error.response?.status }).toEqual({
      ...{ name: 'AxiosError', isAxiosError: true, code, status, config, response: status },
    });
    expect(error.config).toBe(config);
  });

  test('has the method in lower case and the URL, of another client', () => {
    expect(axiosErrorOf(response(503), requestOf()).config).toEqual({
      method: 'post',
      url: 'https://a.test/',
    });
  });

  test('has headers by their names in any case, and their lookup', () => {
    const headers = axiosErrorOf(response(503), requestOf()).response?.headers ?? {};
    const get = headers.get as (name: PropertyKey) => unknown;
    expect([headers['retry-after'], headers['Retry-After'], headers.etag]).toEqual(['5', '5', undefined]);
    expect([get('Retry-After'), get('etag'), get(Symbol.iterator)]).toEqual(['5', undefined, undefined]);
    expect(Reflect.get(headers, Symbol.iterator)).toBeUndefined();
  });

  const own = Object.assign(new Error('mine'), { config: {} });
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

  test.each<[story: string, outcome: Outcome | undefined, message: string, code: string | undefined]>([
    ['a lost connection', { type: 'failure', kind: 'network', error: reset }, 'reset', 'ECONNRESET'],
    ['a timeout', { type: 'failure', kind: 'timeout', error: reset }, 'reset', 'ECONNABORTED'],
    ['a thing without a message', { type: 'failure', kind: 'network', error: {} }, '', undefined],
    ['no outcome', undefined, '', undefined],
  ])('of %s', (_, outcome, message, code) => {
    const error = axiosErrorOf(outcome, requestOf());
    expect(error).toBeInstanceOf(Error);
    expect([error.message, error.code, error.response]).toEqual([message, code, undefined]);
    expect(error.cause).toBe(outcome?.type === 'failure' ? outcome.error : undefined);
    expect(error.config).toEqual({ method: 'post', url: 'https://a.test/' });
  });

  test('is its own, if it is one of axios', () => {
    expect(axiosErrorOf({ type: 'failure', kind: 'timeout', error: own }, requestOf())).toBe(own);
  });
});

/** What a retry does not fix, by is-retry-allowed 2.2.0. */
const DENIED = [
  ...['ENOTFOUND', 'ENETUNREACH', 'OUT_OF_MEM', 'INVALID_CA', 'INVALID_PURPOSE', 'HOSTNAME_MISMATCH'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_GET_CRL'],
  ...['UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'UNABLE_TO_DECRYPT_CRL_SIGNATURE'],
  ...['UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'PATH_LENGTH_EXCEEDED'],
  ...['CERT_SIGNATURE_FAILURE', 'CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED', 'CERT_CHAIN_TOO_LONG'],
  ...['CRL_SIGNATURE_FAILURE', 'CRL_NOT_YET_VALID', 'CRL_HAS_EXPIRED'],
  ...['CERT_REVOKED', 'CERT_UNTRUSTED', 'CERT_REJECTED'],
  ...['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'ERROR_IN_CERT_NOT_AFTER_FIELD'],
  ...['ERROR_IN_CRL_LAST_UPDATE_FIELD', 'ERROR_IN_CRL_NEXT_UPDATE_FIELD'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
];
const coded = (code: string | undefined, status?: number, method?: string): never =>
  ({
    ...{ code, response: status && { status, headers: {} } },
    ...(method && { config: { method } }),
  }) as never;

test.each<[story: string, codes: (string | undefined)[], isOne: boolean]>([
  ['what a retry may fix', ['ECONNRESET', 'XENOTFOUND', 'ENOTFOUND2'], true],
  ['what no retry fixes', DENIED, false],
  ['an abort, and a timeout', ['ERR_CANCELED', 'ECONNABORTED'], false],
  ['codes that only look like them', ['XERR_CANCELED', 'ERR_CANCELED2', 'ECONNABORTED2'], true],
  ['no code', ['', undefined], false],
])('isNetworkError: %s', (_, codes, isOne) => {
  const found = codes.map((code) => likeAxiosRetry.isNetworkError(coded(code)));
  expect(found).toEqual(codes.map(() => isOne));
  expect(codes.some((code) => likeAxiosRetry.isNetworkError(coded(code, 503)))).toBe(false);
});

test('isRetryableError: 429, every 5xx, and no response, but for a timeout', () => {
  const { isRetryableError } = likeAxiosRetry;
  const statuses = Array.from({ length: 600 }, (_, at) => at + 100);
  expect(statuses.filter((status) => isRetryableError(coded('E', status)))).toEqual([
    429,
    ...Array.from({ length: 100 }, (_, at) => 500 + at),
  ]);
  expect([isRetryableError(coded(undefined)), isRetryableError(coded('E'))]).toEqual([true, true]);
  expect([isRetryableError(coded('ECONNABORTED')), isRetryableError(coded('ECONNABORTED', 503))]).toEqual([
    false,
    false,
  ]);
});

test('which methods are repeated', () => {
  const { isSafeRequestError, isIdempotentRequestError, isNetworkOrIdempotentRequestError } = likeAxiosRetry;
  const methods = ['get', 'head', 'options', 'put', 'delete', 'post', 'patch', 'xget', 'getx', 'xput', ''];
  const those = (judge: (error: never) => boolean, code: string, status?: number): string[] =>
    methods.filter((method) => judge(coded(code, status, method)));
  const safe = methods.slice(0, 3);
  const idempotent = methods.slice(0, 5);
  expect(those(isSafeRequestError, 'E', 503)).toEqual(safe);
  expect(those(isIdempotentRequestError, 'E', 503)).toEqual(idempotent);
  expect(those(isNetworkOrIdempotentRequestError, 'E', 503)).toEqual(idempotent);
  expect(those(isNetworkOrIdempotentRequestError, 'ENOTFOUND')).toEqual(idempotent);
  expect(those(isNetworkOrIdempotentRequestError, 'ECONNRESET')).toEqual(methods);
  expect(those(isSafeRequestError, 'E', 404)).toEqual([]);
  expect(those(isIdempotentRequestError, 'E', 404)).toEqual([]);
  expect(those(isNetworkOrIdempotentRequestError, 'ECONNABORTED')).toEqual([]);
});

const waiting = (field: unknown): never =>
  ({ response: { status: 503, headers: { 'retry-after': field } } }) as never;

test.each<[story: string, ms: number, retry?: number, error?: AxiosErrorLike | undefined, factor?: number]>([
  ['without a number', 100],
  ['the third', 800, 3],
  ['with a factor of 50', 400, 3, undefined, 50],
  ['after a wait of 2 s', 2_000, 3, waiting('2')],
  ['after a shorter one', 800, 3, waiting('0.5')],
])('exponentialDelay: %s is %d ms, and up to a fifth more', (_, ms, ...args) => {
  const draws = Array.from({ length: 300 }, () => likeAxiosRetry.exponentialDelay(...args));
  const [least = 0, most = 0] = [Math.min(...draws) / ms, Math.max(...draws) / ms];
  expect([least >= 1, least < 1.02, most > 1.18, most < 1.2]).toEqual([true, true, true, true]);
});
