import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { attemptsOf, HookError, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { refusingPort } from '../../../../test/refusing.ts';
import { until } from '../../../../test/until.ts';
import { ok, responseTo } from '../../test/adapters.ts';
import { begunStream, openStream } from '../../test/bodies.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { listen } from '../../test/servers.ts';
import { ebbInterceptor } from '../index.ts';

describe('the body that a factory makes', () => {
  test('counts towards attemptTimeoutMs; a late one is closed and not sent', async () => {
    const clock = virtualClock({ startMs: 0 });
    const first = Promise.withResolvers<Readable>();
    const made: unknown[] = [first.promise, 'text'];
    const sent: unknown[] = [];
    const adapter: AxiosAdapter = async (config) => {
      sent.push(config.data);
      return ok(config);
    };
    const client = clientOf({ adapter }, { ...atOnce, clock, attemptTimeoutMs: 50 });
    const response = client.put('/', () => made.shift());
    await clock.advance(50);
    expect(attemptsOf(await response)).toMatchObject([{ failure: 'timeout' }, { status: 200 }]);
    const late = openStream();
    first.resolve(late);
    await setImmediate();
    expect([late.destroyed, sent, clock.pending]).toEqual([true, ['text'], 0]);
  });

  test('is not sent if it is made in the turn of the timeout', async () => {
    const clock = virtualClock({ startMs: 0 });
    const adapter = vi.fn(ok);
    const late = openStream();
    const make = () => new Promise((resolve) => clock.schedule(() => resolve(late), 50));
    const client = clientOf({ adapter }, { clock, attemptTimeoutMs: 50, maxRetries: 0 });
    const error = errorOf(client.put('/', make));
    await clock.advance(50);
    expect((await error).code).toBe('ECONNABORTED');
    await setImmediate();
    expect([late.destroyed, adapter.mock.calls.length]).toEqual([true, 0]);
  });

  test('is closed if its transform throws', async () => {
    const data = openStream();
    const transformRequest = () => {
      throw new Error('no');
    };
    await errorOf(clientOf({ adapter: ok, transformRequest }).put('/', () => data));
    expect(data.destroyed).toBe(true);
  });

  test.each(['http', 'fetch'])('is closed if the server responds without reading it: %s', async (adapter) => {
    const url = await listen(
      // Never reads the body.
      createServer((request, response) => {
        response.writeHead(request.url === '/final' ? 413 : 503, { 'content-length': 2 }).end('no');
      }),
    );
    for (const path of ['retried', 'final']) {
      const made: Readable[] = [];
      const data = () => made[made.push(begunStream()) - 1];
      const client = clientOf({ adapter }, { ...atOnce, maxRetries: 2 });
      const error = await errorOf(client.put(`${url}${path}`, data));
      expect(made).toHaveLength(path === 'final' ? 1 : 3);
      await until(() => made.every(({ destroyed }) => destroyed));
      expect(error.response?.data ?? 'no').toBe('no');
    }
  });

  test.each(['http', 'fetch'])('is closed if the connection is refused: %s', async (adapter) => {
    const url = `http://127.0.0.1:${await refusingPort()}/`;
    const made: Readable[] = [];
    const data = () => made[made.push(openStream()) - 1];
    await errorOf(clientOf({ adapter }, { ...atOnce, maxRetries: 2 }).put(url, data));
    expect(made.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  });

  test('is not made again if the factory fails, whatever the cause', async () => {
    const cause = Object.assign(new Error('no store'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const make = vi.fn(() => Promise.reject(cause));
    const error = await errorOf(clientOf({ adapter: ok }).put('/', make));
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ hook: 'data', cause });
    expect([make.mock.calls.length, attemptsOf(error)]).toEqual([1, []]);
  });

  test('is closed if it is made after an abort', async () => {
    const controller = new AbortController();
    const made = Promise.withResolvers<Readable>();
    const adapter = vi.fn(ok);
    const error = errorOf(clientOf({ adapter }).put('/', () => made.promise, { signal: controller.signal }));
    await setImmediate();
    controller.abort();
    expect(await error).toBeInstanceOf(axios.CanceledError);
    expect(attemptsOf(await error)).toEqual([]);
    // The late body is closed.
    const late = openStream();
    made.resolve(late);
    await setImmediate();
    expect([late.destroyed, adapter.mock.calls.length]).toEqual([true, 0]);
  });

  test('is closed if the call is aborted in the turn in which it is made', async () => {
    const clock = virtualClock({ startMs: 0 });
    const bucket = tokenBucket({ refillPerSecond: 10, capacity: 1, clock });
    const controller = new AbortController();
    const adapter = vi.fn(ok);
    const data = openStream();
    const make = () =>
      new Promise((resolve) =>
        clock.schedule(() => {
          resolve(data);
          void Promise.resolve().then(() => controller.abort());
        }, 1_000),
      );
    const client = clientOf({ adapter }, { ...atOnce, clock, bucket });
    const error = errorOf(client.put('/', make, { signal: controller.signal }));
    await clock.advance(2_000);
    expect(await error).toBeInstanceOf(axios.CanceledError);
    expect([data.destroyed, adapter.mock.calls.length]).toEqual([true, 0]);
    // Its tokens have gone back.
    expect(bucket.stats()).toMatchObject({ tokens: 1, waiting: 0 });
  });

  test.each([200, 399, 400, 500])(
    'is closed after a %i that is no error, if that is 400 or more',
    async (status) => {
      const data = begunStream();
      const adapter: AxiosAdapter = async (config) => responseTo(config, { status });
      const client = clientOf({ adapter, validateStatus: null }, { ...atOnce, maxRetries: 0 });
      expect((await client.put('/', () => data)).status).toBe(status);
      expect(data.destroyed).toBe(status >= 400);
      data.destroy();
    },
  );

  test('is not made if the signal is aborted before the adapter is called', async () => {
    const adapter = vi.fn(ok);
    const make = vi.fn();
    const given = { adapter, method: 'put', url: '/', data: make, signal: AbortSignal.abort() };
    const config = ebbInterceptor(atOnce)({ ...given, headers: new axios.AxiosHeaders() });
    await errorOf((config.adapter as AxiosAdapter)(config));
    expect([adapter.mock.calls.length, make.mock.calls.length]).toEqual([0, 0]);
  });
});
