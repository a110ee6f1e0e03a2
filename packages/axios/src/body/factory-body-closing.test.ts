import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { attemptsOf } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { AxiosAdapter } from 'axios';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import { ok, responseTo } from '../../test/adapters.ts';
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

  test('is closed as its transform has made it', async () => {
    const made = openStream();
    const adapter: AxiosAdapter = async (config) => responseTo(config, { status: 500 });
    const client = clientOf({ adapter, transformRequest: () => made }, { ...atOnce, maxRetries: 0 });
    await client.put('/', () => 'text');
    expect(made.destroyed).toBe(true);
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
});
