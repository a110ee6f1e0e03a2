import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { HookError, type NextAttempt, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter, type AxiosRequestConfig } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { ok, responseTo, statuses } from '../test/adapters.ts';
import { formOf } from '../test/bodies.ts';
import { waysToCancel } from '../test/cancel.ts';
import { atOnce, clientOf, errorOf, kindsOf, reasonsOf } from '../test/client.ts';
import { DOWN, UP } from '../test/steps.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The changes, in the turn of the call and later. */
const inTime: readonly (readonly [when: string, give: <T>(value: T) => T | Promise<T>])[] = [
  ['at once', (value) => value],
  ['later', async (value) => setImmediate().then(() => value)],
  [
    'later, by a promise of another library',
    (value) =>
      ({
        then: (resolve: (value: unknown) => unknown) => setImmediate().then(() => resolve(value)),
      }) as never,
  ],
];

describe.each(['http', 'fetch'])('over the %s adapter', (adapter) => {
  describe.each(inTime)('headers that are returned %s', (_, give) => {
    test('are sent with their attempt alone', async () => {
      const server = await serve(DOWN, DOWN, UP);
      const beforeAttempt = ({ attempt }: NextAttempt) =>
        give(
          attempt === 2
            ? undefined
            : { 'X-Attempt': String(attempt), AUTHORIZATION: `token ${attempt}`, 'x-gone': undefined },
        );
      const headers = { authorization: 'mine', 'X-Gone': 'a', 'X-Own': 'b' };
      const response = await clientOf({ adapter }, { ...atOnce, beforeAttempt }).get(server.url, { headers });
      const names = ['x-attempt', 'authorization', 'x-gone', 'x-own'];
      expect(server.seen.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
        ['1', 'token 1', undefined, 'b'],
        [undefined, 'mine', 'a', 'b'],
        ['3', 'token 3', undefined, 'b'],
      ]);
      const after = response.config.headers;
      expect(names.map((name) => after.get(name))).toEqual([undefined, 'mine', 'a', 'b']);
      expect(headers).toEqual({ authorization: 'mine', 'X-Gone': 'a', 'X-Own': 'b' });
    });

    test('stand in the config of neither a response nor an error', async () => {
      const beforeAttempt = () => give({ 'x-signature': 'secret' });
      for (const script of [[UP], [DOWN], ['reset' as const]]) {
        for (const maxRetries of [0, 1]) {
          const server = await serve(...script);
          const options = { ...atOnce, maxRetries, beforeAttempt };
          const result = await clientOf({ adapter }, options)
            .get(server.url)
            .catch((error: unknown) => error);
          const { config } = result as { config: AxiosRequestConfig };
          expect(JSON.stringify(config)).not.toContain('secret');
          expect(server.seen.every(({ headers }) => headers['x-signature'] === 'secret')).toBe(true);
          // The same config can be sent again.
          await clientOf({ adapter, validateStatus: null }, options)
            .request(config)
            .catch(() => undefined);
          expect(server.seen.at(-1)?.headers['x-signature']).toBe('secret');
        }
      }
    });

    test('go with a body that is made for each attempt, whose headers they may replace', async () => {
      const server = await serve(DOWN, UP);
      const beforeAttempt = () => give({ 'content-type': 'text/x-signed', 'x-a': 'b' });
      const data = () => Readable.from([Buffer.from('text')]);
      await clientOf({ adapter }, { ...atOnce, beforeAttempt }).put(server.url, data);
      expect(server.seen.map(({ headers, body }) => [headers['content-type'], headers['x-a'], body])).toEqual(
        [
          ['text/x-signed', 'b', 'text'],
          ['text/x-signed', 'b', 'text'],
        ],
      );
    });

    test('go with a form, whose own headers stay', async () => {
      const server = await serve(DOWN, UP);
      const beforeAttempt = () => give({ 'x-a': 'b' });
      await clientOf({ adapter: 'http' }, { ...atOnce, beforeAttempt }).put(server.url, formOf(['a', 'b']));
      for (const { headers, body } of server.seen) {
        expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
        expect([headers['x-a'], body.length > 0]).toEqual(['b', true]);
      }
    });

    test('are told of the outcome before', async () => {
      const server = await serve(DOWN, 'reset', UP);
      const beforeAttempt = vi.fn((_: NextAttempt) => give(undefined));
      await clientOf({ adapter }, { ...atOnce, beforeAttempt }).get(server.url, { headers: { a: 'b' } });
      expect(beforeAttempt.mock.calls.map(([next]) => next)).toMatchObject([
        { attempt: 1, previous: undefined, request: { method: 'GET', url: server.url } },
        { attempt: 2, previous: { type: 'response', status: 503 } },
        { attempt: 3, previous: { type: 'failure', kind: 'network' } },
      ]);
      expect(beforeAttempt.mock.calls[2]?.[0].request.header('a')).toBe('b');
    });
  });

  test('a POST with a key of ebb is retried after a 503, with the same key', async () => {
    const server = await serve(DOWN, 'reset', UP);
    const client = clientOf({ adapter }, { ...atOnce, idempotencyKey: true });
    const response = await client.post(server.url, { amount: 5 });
    expect(kindsOf(response)).toEqual([503, 'network', 200]);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(UUID);
    expect(new Set(keys).size).toBe(1);
    expect(response.config.headers.has('idempotency-key')).toBe(false);
    await client.post(server.url);
    expect(server.seen.at(-1)?.headers['idempotency-key']).not.toBe(keys[0]);
  });

  test.each<[what: string, config: AxiosRequestConfig, key: string | undefined]>([
    ['a key of the caller stays', { method: 'POST', headers: { 'IDEMPOTENCY-KEY': 'mine' } }, 'mine'],
    ['a GET needs none', { method: 'GET' }, undefined],
    ['a PATCH gets one', { method: 'PATCH' }, 'PATCH key'],
  ])('%s', async (_, config, key) => {
    const server = await serve(DOWN, UP);
    const idempotencyKey: PolicyOptions['idempotencyKey'] = ({ method }) => `${method} key`;
    const client = clientOf({ adapter }, { ...atOnce, idempotencyKey });
    await client.request({ url: server.url, ...config });
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([key, key]);
  });
});

test('without changes the adapter gets the caller’s headers, and they stay', async () => {
  const seen: unknown[] = [];
  const adapter: AxiosAdapter = async (config) => {
    seen.push(config.headers);
    config.headers.set('x-adapter', 'a');
    return responseTo(config);
  };
  for (const options of [{}, { beforeAttempt: () => undefined }, { idempotencyKey: true as const }]) {
    const { config } = await clientOf({ adapter }, options).get('/');
    expect([config.headers === seen.pop(), config.headers.get('x-adapter')]).toEqual([true, 'a']);
  }
});

test('changes that are there at once are sent in the same turn', async () => {
  const log: unknown[] = [];
  const adapter: AxiosAdapter = async (config) => {
    log.push(config.headers.get('x-a'));
    return responseTo(config);
  };
  const beforeAttempt = () => {
    queueMicrotask(() => log.push('next turn'));
    return { 'x-a': 'b' };
  };
  await clientOf({ adapter }, { beforeAttempt }).get('/');
  expect(log).toEqual(['b', 'next turn']);
});

describe('a hook that fails', () => {
  const cause = new Error('no token');
  test.each<[what: string, options: PolicyOptions, hook: string]>([
    [
      'beforeAttempt throws',
      {
        beforeAttempt: () => {
          throw cause;
        },
      },
      'beforeAttempt',
    ],
    ['beforeAttempt rejects', { beforeAttempt: () => Promise.reject(cause) }, 'beforeAttempt'],
    ['beforeAttempt returns a number', { beforeAttempt: () => ({ a: 1 }) as never }, 'beforeAttempt'],
    [
      'idempotencyKey throws',
      {
        idempotencyKey: () => {
          throw cause;
        },
      },
      'idempotencyKey',
    ],
    ['idempotencyKey returns nothing', { idempotencyKey: () => '' }, 'idempotencyKey'],
  ])('%s: the request fails, and nothing is sent', async (_, options, hook) => {
    const adapter = vi.fn(ok);
    for (const attemptTimeoutMs of [undefined, 50]) {
      const clock = virtualClock({ startMs: 0 });
      const error = await errorOf(
        clientOf({ adapter }, { ...atOnce, clock, attemptTimeoutMs, ...options }).post('/'),
      );
      expect(error).toBeInstanceOf(HookError);
      expect(error.message).toContain(hook);
      expect([reasonsOf(error), clock.pending]).toEqual([[], 0]);
    }
    expect(adapter).not.toHaveBeenCalled();
  });

  test('before a retry: the config is restored', async () => {
    const adapter = statuses(503);
    const beforeAttempt = ({ attempt }: NextAttempt) => {
      if (attempt === 2) throw cause;
      return { 'x-a': 'b' };
    };
    const error = await errorOf(clientOf({ adapter }, { ...atOnce, beforeAttempt }).get('/'));
    expect(error).toMatchObject({ cause });
    expect(adapter.mock.calls.map(([{ headers }]) => headers.get('x-a'))).toEqual([undefined]);
  });
});

test.each(waysToCancel)('an abort by %s while headers are made', async (_, make) => {
  for (const data of [undefined, () => Readable.from(['a'])]) {
    const { config, abort, listeners } = make();
    const adapter = vi.fn(ok);
    const made = Promise.withResolvers<{ a: string }>();
    const asked = Promise.withResolvers<void>();
    const beforeAttempt = () => {
      asked.resolve();
      return made.promise;
    };
    const sent = errorOf(clientOf({ adapter, ...config }, { ...atOnce, beforeAttempt }).put('/', data));
    await asked.promise;
    abort(new Error('enough'));
    const error = await sent;
    expect([axios.isCancel(error), kindsOf(error), listeners()]).toEqual([true, [], 0]);
    made.resolve({ a: 'b' });
    await setImmediate();
    expect(adapter).not.toHaveBeenCalled();
  }
});

test('headers that come after the attempt timeout are not sent', async () => {
  const clock = virtualClock({ startMs: 0 });
  const adapter = vi.fn<AxiosAdapter>(async (config) =>
    responseTo(config, { data: String(config.headers.get('x-a')) }),
  );
  const late = Promise.withResolvers<{ 'x-a': string }>();
  const beforeAttempt = ({ attempt }: NextAttempt) => (attempt === 1 ? late.promise : { 'x-a': 'second' });
  const client = clientOf({ adapter }, { ...atOnce, clock, attemptTimeoutMs: 50, beforeAttempt });
  const response = client.get('/');
  await clock.advance(50);
  expect((await response).data).toBe('second');
  late.resolve({ 'x-a': 'late' });
  await setImmediate();
  expect(adapter).toHaveBeenCalledTimes(1);
  expect(kindsOf(await response)).toEqual(['timeout', 200]);
  expect((await response).config.headers.has('x-a')).toBe(false);
});
