import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { attemptsOf, HookError } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { refusingPort } from '../../../../test/refusing.ts';
import { until } from '../../../../test/until.ts';
import { ok } from '../../test/adapters.ts';
import { begunStream, openStream } from '../../test/bodies.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { listen } from '../../test/servers.ts';

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
});
