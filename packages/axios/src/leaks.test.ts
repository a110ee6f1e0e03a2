import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosAdapter } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { ok, unavailable } from '../test/adapters.ts';
import { listenersOf, listenersOn } from '../test/cancel.ts';
import { atOnce, clientOf } from '../test/client.ts';
import { DOWN, UP } from '../test/steps.ts';

describe('no listener and no timer is left', () => {
  test('on a signal and a token shared by 2 000 calls', async () => {
    const { signal } = new AbortController();
    const { token } = axios.CancelToken.source();
    let calls = 0;
    const adapter: AxiosAdapter = (config) => (calls++ % 2 === 0 ? unavailable(config) : ok(config));
    const clock = virtualClock({ startMs: 0 });
    const client = clientOf({ adapter }, { ...atOnce, clock, attemptTimeoutMs: 50 });
    for (let call = 0; call < 2_000; call += 1) {
      await client.get('/', call % 10 === 0 ? { signal, cancelToken: token } : { signal });
    }
    expect([listenersOf(signal), listenersOn(token)]).toEqual([0, 0]);
    expect([calls, clock.pending]).toEqual([4_000, 0]);
  });

  test.each([
    ['ebb: false', { ebb: false as const }, 'ok'],
    ['a wrong option', { ebb: { maxRetries: -1 } }, 'RangeError'],
  ])('on a token and a signal of a request with %s', async (_, config, result) => {
    const { signal } = new AbortController();
    const { token } = axios.CancelToken.source();
    const sent = clientOf({ adapter: ok }, atOnce).get('/', { signal, cancelToken: token, ...config });
    expect(
      await sent.then(
        () => 'ok',
        ({ name }) => name,
      ),
    ).toBe(result);
    expect([listenersOf(signal), listenersOn(token)]).toEqual([0, 0]);
  });

  test('on a signal, after attempts that fail in each way', async () => {
    const { signal } = new AbortController();
    for (const adapter of ['http', 'fetch']) {
      for (const responseType of ['text', 'stream'] as const) {
        const server = await serve(DOWN, 'reset', 'half-body', UP);
        const client = clientOf({ adapter, responseType, signal });
        const { data } = await client.get(server.url).catch(() => ({ data: undefined }));
        if (typeof data === 'object') await text(data).catch(() => undefined);
      }
    }
    await setImmediate();
    expect(listenersOf(signal)).toBe(0);
  });

  test('after a request that needs no timer', async () => {
    const schedule = vi.fn();
    const clock = { now: () => 0, schedule };
    await clientOf({ adapter: ok }, { clock }).get('/');
    expect(schedule).not.toHaveBeenCalled();
  });
});
