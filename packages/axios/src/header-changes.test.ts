import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { NextAttempt } from '@ebb/core';
import axios, { type AxiosAdapter, type AxiosRequestConfig } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { ok, responseTo, statuses } from '../test/adapters.ts';
import { formOf } from '../test/bodies.ts';
import { waysToCancel } from '../test/cancel.ts';
import { atOnce, clientOf, errorOf, kindsOf } from '../test/client.ts';
import { DOWN, UP } from '../test/steps.ts';

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

test('a hook that fails before a retry: the config is restored', async () => {
  const cause = new Error('no token');
  const adapter = statuses(503);
  const beforeAttempt = ({ attempt }: NextAttempt) => {
    if (attempt === 2) throw cause;
    return { 'x-a': 'b' };
  };
  const error = await errorOf(clientOf({ adapter }, { ...atOnce, beforeAttempt }).get('/'));
  expect(error).toMatchObject({ cause });
  expect(adapter.mock.calls.map(([{ headers }]) => headers.get('x-a'))).toEqual([undefined]);
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
