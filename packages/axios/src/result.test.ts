import { attemptsOf, constant, type EbbEvent, NotSentError, type TokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter, AxiosError } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { ownBucket } from '../../core/test/own.ts';
import { ok, responseTo, statuses, unavailable } from '../test/adapters.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';

describe('the caller gets what the adapter returned', () => {
  test('the same response object, transformed', async () => {
    const response = { status: 200, statusText: 'OK', data: '{"a":1}', headers: {}, request: {} };
    const client = clientOf({ adapter: async (config) => Object.assign(response, { config }) });
    const result = await client.get('http://upstream/');
    expect(result).toBe(response);
    expect(result.data).toEqual({ a: 1 });
    expect(attemptsOf(result)).toMatchObject([{ attempt: 1, status: 200, reason: 'success' }]);
  });

  test('the same error object as the last attempt, with the config of the request', async () => {
    const errors: AxiosError[] = [];
    const adapter = statuses(503, 502, 500);
    const client = clientOf(
      {
        adapter: (config) => adapter(config).catch((error) => Promise.reject(errors[errors.push(error) - 1])),
      },
      { ...atOnce, maxRetries: 2 },
    );
    const error = await errorOf(client.get('http://upstream/', { headers: { a: 'b' } }));
    expect(error).toBe(errors[2]);
    expect(error.response?.status).toBe(500);
    expect(error.config?.headers.get('a')).toBe('b');
    expect(error.config).toBe(error.response?.config);
    expect(attemptsOf(error)).toMatchObject([503, 502, 500].map((status) => ({ status })));
    // The history is that of the error.
    expect(attemptsOf(error.response)).toEqual([]);
  });

  test('an error that can be serialized as JSON', async () => {
    const client = clientOf({ adapter: statuses(503) }, { ...atOnce, maxRetries: 1 });
    const error = await errorOf(client.get('/', { ebb: { onEvent: () => undefined } }));
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'ERR_BAD_RESPONSE', status: 503 });
  });

  test('the error of an adapter that throws or resolves with nothing, as in axios', async () => {
    const thrown = new Error('broken');
    const throws = clientOf({
      adapter: (() => {
        throw thrown;
      }) as AxiosAdapter,
    });
    expect(await errorOf(throws.get('/'))).toBe(thrown);
    const nothing = clientOf({ adapter: async () => undefined as never });
    expect(await errorOf(nothing.get('/'))).toBeInstanceOf(TypeError);
  });
});

describe('without another attempt the caller gets', () => {
  test('the NotSentError of the bucket, unchanged', async () => {
    const notSent = new NotSentError('no token');
    const bucket: TokenBucket = ownBucket({
      tryAcquire: () => undefined,
      acquire: () => Promise.reject(notSent),
    });
    const adapter = vi.fn(ok);
    expect(await errorOf(clientOf({ adapter }, { bucket }).get('/'))).toBe(notSent);
    expect(adapter).not.toHaveBeenCalled();
  });

  test('the last response at once, if totalTimeoutMs leaves no time for a retry', async () => {
    const clock = virtualClock({ startMs: 0 });
    const options = { clock, backoff: constant(100), totalTimeoutMs: 150 };
    const response = clientOf({ adapter: unavailable, validateStatus: null }, options).get('/');
    await clock.advance(100);
    expect(attemptsOf(await response).map(({ reason }) => reason)).toEqual([
      'transient',
      'deadline-exceeded',
    ]);
    expect(clock.pending).toBe(0);
  });
});

describe('validateStatus', () => {
  test.each([
    ['a validateStatus that accepts everything', () => true],
    ['no validateStatus', null],
  ])('%s does not hide a 503: it is retried, and the last response returned', async (_, validateStatus) => {
    const client = clientOf({ adapter: statuses(503, 503, 200), validateStatus });
    expect((await client.get('http://upstream/')).status).toBe(200);
    const down = clientOf({ adapter: statuses(503), validateStatus }, { ...atOnce, maxRetries: 1 });
    const last = await down.get('http://upstream/');
    expect([last.status, attemptsOf(last).length]).toEqual([503, 2]);
  });

  test('a 200 that validateStatus refuses rejects without a retry', async () => {
    const adapter = statuses(200);
    const error = await errorOf(clientOf({ adapter }).get('/', { validateStatus: () => false }));
    expect([error.response?.status, adapter.mock.calls.length]).toEqual([200, 1]);
  });
});

test('response headers of a custom adapter can be of any type', async () => {
  const given = [{ 'Retry-After': '7' }, new Headers({ 'retry-after': '7' }), { 'retry-after': ['7'] }];
  for (const headers of [...given, axios.AxiosHeaders.from({ 'RETRY-AFTER': '7' })]) {
    const adapter: AxiosAdapter = async (config) =>
      responseTo(config, { status: 429, headers: headers as never });
    const response = await clientOf({ adapter, validateStatus: null }, { retryAfter: { maxMs: 6_999 } }).get(
      '/',
    );
    expect(attemptsOf(response)).toMatchObject([{ reason: 'retry-after-too-long' }]);
  }
});

describe('the kind of a failure', () => {
  const timeout = (cause: unknown) =>
    Object.assign(new AxiosError('timeout of 5ms exceeded', 'ETIMEDOUT'), { cause });
  test.each<[what: string, error: unknown, kind: string]>([
    // Browsers: the timeout aborts the exchange, and the abort is the cause.
    ['a timeout that aborts', timeout(new DOMException('aborted', 'AbortError')), 'timeout'],
    [
      'a timeout while connecting',
      timeout(Object.assign(new Error(), { code: 'ETIMEDOUT', syscall: 'connect' })),
      'connect',
    ],
    ['a broken body', new AxiosError('stream has been aborted', 'ERR_BAD_RESPONSE'), 'network'],
    [
      'a broken body in an older axios',
      new AxiosError('maxContentLength size of -1 exceeded', 'ERR_BAD_RESPONSE'),
      'network',
    ],
    [
      'a body beyond maxContentLength',
      new AxiosError('maxContentLength size of 1 exceeded', 'ERR_BAD_RESPONSE'),
      'unknown',
    ],
    ['a canceled upload, by no signal', new axios.CanceledError('aborted'), 'unknown'],
    ['undefined', undefined, 'unknown'],
  ])('%s', async (_, error, kind) => {
    const ends: EbbEvent[] = [];
    const classify = vi.fn(() => 'final' as const);
    const client = clientOf(
      { adapter: () => Promise.reject(error) },
      { classify, onEvent: (event) => ends.push(event) },
    );
    expect(await errorOf(client.get('/'))).toBe(error);
    expect(classify.mock.calls).toEqual([[expect.objectContaining({ kind }), expect.anything(), 1]]);
    expect(ends.at(-1)).toMatchObject({ type: 'end', reason: 'final' });
  });
});
